// What the environment calls: start an episode, look at the page, ask for the outcome.
(() => {
  if (window === window.top || window.__episode) return;
  const EXPERTS = window.__experts;
  const { all, points, isField } = window.__reader;
  const { shown, query, ROW } = window.__moves;

  // What the expert of a task types into which field, on the pages of many seeds, without the browser's input: for the text bank.
  function typed(task, seeds) {
    const found = [];
    for (const seed of seeds) {
      window.__episode.start(String(seed));
      for (let turn = 0; turn < 15 && !window.WOB_DONE_GLOBAL; turn += 1) {
        let move = null;
        try { move = EXPERTS[task](); } catch (error) { move = null; }
        if (!move) break;
        const { verb, element, text, amount } = move;
        if (verb === 'type') { found.push([window.__reader.record(element).name, text]); element.value = text; }
        else if (verb === 'select_all') element.select();
        else if (verb === 'erase') element.value = '';
        else if (verb === 'scroll') element.scrollBy(0, -amount * ROW);
        else if (isField(element)) element.focus();
        else element.click();
        window.__clock.advance(400);
      }
    }
    return found;
  }

  window.__episode = {
    typed,
    names: Object.keys(EXPERTS),
    start(seed) {
      window.core.EPISODE_MAX_TIME = 3600000;
      if (typeof window.chooseContact === 'function') {
        const choose = window.chooseContact;
        window.chooseContact = (...args) => (window.__expected = choose(...args));
      }
      Math.seedrandom(seed);
      window.core.startEpisodeReal();
      window.__clock.advance(400);
    },
    outcome: () => ({ done: window.WOB_DONE_GLOBAL, reward: window.WOB_RAW_REWARD_GLOBAL }),
    // brief: the expert's move alone, for replays that nobody looks at.
    look(task, brief) {
      const { list, records, outline } = brief ? { list: [], records: [], outline: [] } : window.__reader.read();
      let move = null;
      try { move = EXPERTS[task](); } catch (error) { move = null; }
      const plain = move && {
        verb: move.verb, text: move.text || '', amount: move.amount || 0, element: list.indexOf(move.element),
        box: (b => [b.left, b.top, b.width, b.height])(move.element.getBoundingClientRect()), points: points(move.element),
      };
      const spare = brief ? null : all('#area, #area *').filter(node => !isField(node)).find(node => node.scrollHeight > node.clientHeight + 20
        && ['auto', 'scroll'].includes(getComputedStyle(node).overflowY) && shown(node)) || all('select[multiple]').find(shown);
      const scroll = spare ? (b => [b.left, b.top, b.width, b.height])(spare.getBoundingClientRect()) : null;
      return { instruction: query(), title: document.title.replace(/ Task$/, ''), records, outline, move: plain, scroll };
    },
  };
})();
