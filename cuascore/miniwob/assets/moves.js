// The moves that experts are made of: reach an element, click it, fill fields. Each says only the next step.
(() => {
  if (window === window.top || window.__moves) return;
  const { clean, points, covers } = window.__reader;
  const one = selector => document.querySelector(selector);
  const shown = element => Boolean(element && element.getClientRects().length);
  const query = () => clean(one('#query').textContent);
  const quoted = () => [...query().matchAll(/"([^"]*)"/g)].map(match => match[1]);
  const ROW = 38; // frame pixels that one click of the wheel moves; as WHEEL in environment.py

  function scroller(element) {
    for (let node = element.parentElement; node; node = node.parentElement) {
      if (node.scrollHeight > node.clientHeight + 2 && ['auto', 'scroll'].includes(getComputedStyle(node).overflowY)) return node;
      if (node.tagName === 'SELECT' && node.scrollHeight > node.clientHeight + 2) return node;
    }
    return document.scrollingElement;
  }

  // The move on an element, or the scroll that brings it into reach.
  function reach(element, verb) {
    if (points(element).length) return { verb, element };
    const holder = scroller(element), box = element.getBoundingClientRect();
    const frame = holder === document.scrollingElement ? { top: 0, bottom: window.innerHeight } : holder.getBoundingClientRect();
    const gap = (box.top + box.bottom) / 2 - (frame.top + frame.bottom) / 2;
    const amount = Math.max(1, Math.min(5, Math.round(Math.abs(gap) / ROW)));
    return { verb: 'scroll', element: holder, amount: gap > 0 ? -amount : amount };
  }
  const click = element => (element ? reach(element, 'click') : null);

  // pairs of [field, wanted value]: type into the focused one, else go to the first that is wrong.
  function fill(pairs) {
    const wrong = pairs.filter(([field, wanted]) => field.value !== wanted);
    if (!wrong.length) return null;
    const [field, wanted] = wrong.find(([candidate]) => candidate === document.activeElement) || wrong[0];
    if (field !== document.activeElement) return click(field);
    if (field.value !== '' && !covers(field)) return { verb: 'select_all', element: field };
    return wanted === '' ? { verb: 'erase', element: field } : { verb: 'type', element: field, text: wanted };
  }

  window.__moves = { one, shown, query, quoted, ROW, reach, click, fill };
})();
