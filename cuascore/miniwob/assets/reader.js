// What is on the page: its controls in document order, named as a person would name them, and the text around them.
(() => {
  if (window === window.top || window.__reader) return;
  const CONTROLS = [
    'button', 'input', 'textarea', 'select', 'option', '#area a', '.alink', 'h3.ui-accordion-header', '#tree span.folder',
    '#tree span.file', '.media .reply', '.media .retweet', '.media .like', '.media .more', '.media .share', '.media ul li',
    '.email-thread', '.email-actions .star', '.email-actions .trash', '#open-search', '#search-cancel', '#close-email',
    '#close-reply', '#close-forward', '#send-reply', '#send-forward', '.email-reply', '.email-forward', '.final', '.ui-submit',
    '.ui-menu-item-wrapper', '.selectric', '.selectric-items li', '#ui-datepicker-div a', '.ui-spinner-button',
  ].join(',');
  const GRID = [0.2, 0.35, 0.5, 0.65, 0.8];
  const ORDINALS = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th', '8th', '9th'];
  const ICONS = {
    'open-search': 'Search', 'search-cancel': 'Back', 'close-email': 'Back', 'close-reply': 'Back', 'close-forward': 'Back',
    'send-reply': 'Send', 'send-forward': 'Send',
  };
  const clean = text => (text || '').replace(/\s+/g, ' ').trim();
  const all = selector => [...document.querySelectorAll(selector)];

  // Points of an element (in the frame's CSS pixels) at which a click would really reach it.
  function points(element) {
    const found = [];
    for (const box of element.getClientRects()) {
      if (box.width < 2 || box.height < 2) continue;
      for (const v of GRID) for (const u of GRID) {
        const x = box.left + u * box.width, y = box.top + v * box.height;
        if (x < 1 || y < 1 || x >= window.innerWidth - 1 || y >= window.innerHeight - 1) continue;
        const hit = document.elementFromPoint(x, y);
        if (hit && (hit === element || element.contains(hit)) && hit.closest(CONTROLS) === element) found.push([x, y]);
      }
    }
    return found;
  }

  function fieldName(field) {
    const row = field.closest('p, tr, .row, .field, .ui-entry, .forward-info, .reply-info, #area label');
    let name = '';
    if (row) for (const node of row.querySelectorAll('label, span, th, .label, .ui-label, div')) name = name || clean(node.textContent);
    name = (name || (row && row.id !== 'area' ? clean(row.textContent) : '')).replace(/:$/, '');
    if (!name && field.id) {
      const label = document.querySelector(`label[for="${field.id}"]`);
      name = label ? clean(label.textContent).replace(/:$/, '') : '';
    }
    return name;
  }

  function ordinal(element, selector) {
    const peers = all(selector).filter(peer => peer.getClientRects().length);
    return peers.length > 1 ? ORDINALS[peers.indexOf(element)] || `${peers.indexOf(element) + 1}th` : '';
  }

  function nameField(element) {
    const name = fieldName(element) || clean(element.placeholder);
    if (name) return name;
    return ordinal(element, 'input[type=text], input:not([type])');
  }

  function postContext(element) {
    const post = element.closest('.media');
    const user = clean(post.querySelector('.username').textContent);
    const peers = all('.media').filter(peer => clean(peer.querySelector('.username').textContent) === user);
    return peers.length > 1 ? `on the ${ORDINALS[peers.indexOf(post)] || 'last'} post by ${user}` : `on the post by ${user}`;
  }

  function emailContext(element) {
    const mail = element.closest('.email-thread') || element.closest('#email');
    const sender = mail && mail.querySelector('.email-sender');
    return sender ? `of the email from ${clean(sender.textContent)}` : '';
  }

  // [role, name, context] of a control.
  function describe(element) {
    const tag = element.tagName, kinds = element.classList, text = clean(element.textContent);
    if (tag === 'OPTION') return ['option', text, ''];
    if (tag === 'SELECT') return [element.multiple ? 'scroll list' : 'drop-down list', '', ''];
    if (kinds.contains('selectric')) return ['drop-down list', '', ''];
    if (tag === 'LI' && element.closest('.selectric-items')) return ['option', text || 'empty', ''];
    if (shownOnly(element)) return ['display', fieldName(element), ''];
    if (tag === 'TEXTAREA') return ['text area', element.id === 'reply-text' ? 'Reply' : element.id === 'forward-text' ? 'Message' : '', ''];
    if (tag === 'INPUT') {
      if (element.type === 'checkbox') return ['checkbox', clean(element.parentElement.textContent), ''];
      if (element.type === 'radio') {
        const label = clean(element.closest('label') ? element.closest('label').textContent : '');
        return ['radio button', label || ordinal(element, 'input[type=radio]'), ''];
      }
      if (element.id === 'search-text' || element.id === 'search-input') return ['field', 'Search', ''];
      return ['field', nameField(element), ''];
    }
    if (ICONS[element.id]) return ['icon', ICONS[element.id], ''];
    if (kinds.contains('star')) return ['icon', 'Star', emailContext(element)];
    if (kinds.contains('trash')) return ['icon', 'Trash', emailContext(element)];
    if (kinds.contains('email-reply')) return ['icon', 'Reply', ''];
    if (kinds.contains('email-forward')) return ['icon', 'Forward', ''];
    if (kinds.contains('email-thread')) return ['email', `from ${clean(element.querySelector('.email-sender').textContent)}`, ''];
    for (const icon of ['reply', 'retweet', 'like', 'more', 'share']) {
      if (tag === 'SPAN' && kinds.contains(icon)) return ['icon', icon[0].toUpperCase() + icon.slice(1), postContext(element)];
    }
    if (tag === 'LI') return ['menu item', text, postContext(element)];
    if (tag === 'H3') return ['section header', text, ''];
    if (kinds.contains('folder')) return ['folder', text, ''];
    if (kinds.contains('file')) return ['file', text, ''];
    if (kinds.contains('ui-menu-item-wrapper')) return ['menu item', text, ''];
    if (kinds.contains('ui-tabs-anchor')) return ['tab', text, ''];
    if (kinds.contains('ui-spinner-up')) return ['arrow', 'Up', ''];
    if (kinds.contains('ui-spinner-down')) return ['arrow', 'Down', ''];
    if (element.closest('#ui-datepicker-div')) return /^\d+$/.test(text) ? ['day', text, ''] : ['arrow', text === 'Prev' ? 'Previous month' : 'Next month', ''];
    if (element.closest('#pagination')) return ['page link', text, ''];
    if (kinds.contains('buy-ticket')) return ['button', text, `(${clean(element.closest('.flight').querySelector('.time-duration').textContent)})`];
    if (kinds.contains('phone') || kinds.contains('email') || kinds.contains('address')) return ['link', text, ''];
    if (tag === 'A' || kinds.contains('alink')) return ['link', text, ''];
    return ['button', text, ''];
  }

  function state(element) {
    if (shownOnly(element)) return `shows ${clean(element.value)}`;
    if (element.type === 'checkbox' || element.type === 'radio') return element.checked ? 'checked' : '';
    if (element.tagName === 'OPTION') return element.selected && (element.parentElement.multiple || element.closest('select').matches(':open')) ? 'selected' : '';
    if (element.tagName === 'SELECT') return element.multiple ? '' : `shows ${clean(element.options[element.selectedIndex].textContent)}`;
    if (element.classList.contains('selectric')) return `shows ${clean(element.querySelector('.label').textContent) || 'nothing'}`;
    if (element.tagName === 'H3' || element.classList.contains('ui-tabs-anchor')) return element.closest('.ui-state-active') ? 'open' : '';
    if (element.classList.contains('clicked') || element.classList.contains('active') || element.closest('.page-item.active')) return 'active';
    if (element.disabled) return 'disabled';
    return '';
  }

  // A text that can be read and is never to be changed by typing.
  const shownOnly = element => element.id === 'spinner' || element.id === 'to-copy';
  const isField = element => !shownOnly(element) && (element.tagName === 'TEXTAREA' || (element.tagName === 'INPUT' && !['checkbox', 'radio'].includes(element.type)));
  const covers = element => element.value !== '' && element.selectionStart === 0 && element.selectionEnd === element.value.length;

  function elements() {
    return all(CONTROLS).filter(element => !element.closest('#query, #reward-display, #sync-task-cover'))
      // A link to the page that is shown already leads nowhere.
      .filter(element => !element.closest('.page-item.active, [id^=selectric]'))
      .filter(element => element.getClientRects().length);
  }

  function record(element) {
    const [role, name, context] = describe(element);
    const field = isField(element), box = element.getBoundingClientRect();
    return {
      role, name, context, state: state(element), field,
      value: field ? (element.type === 'password' ? '•'.repeat(element.value.length) : element.value) : '',
      focused: element === document.activeElement, selected: field && covers(element),
      readonly: Boolean(element.readOnly), box: [box.left, box.top, box.width, box.height], points: points(element),
    };
  }

  // Controls (as their number) and texts in document order, of what is inside the view.
  function outline(list) {
    const numbers = new Map(list.map((element, number) => [element, number]));
    const found = [];
    const walk = node => {
      for (const child of node.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) {
          const text = clean(child.textContent);
          if (!text) continue;
          const range = document.createRange();
          range.selectNodeContents(child);
          const box = range.getBoundingClientRect();
          const x = box.left + Math.min(8, box.width / 2), y = box.top + Math.min(6, box.height / 2);
          const hit = box.width && document.elementFromPoint(x, y);
          if (hit && (hit === node || hit.contains(node) || node.contains(hit))) found.push(text);
        } else if (child.nodeType === Node.ELEMENT_NODE) {
          if (['query', 'reward-display', 'sync-task-cover', 'click-canvas'].includes(child.id) || ['SCRIPT', 'STYLE'].includes(child.tagName)) continue;
          if (numbers.has(child)) found.push(numbers.get(child));
          if (!numbers.has(child) || child.matches('.email-thread, select')) walk(child);
        }
      }
    };
    walk(document.body);
    return found;
  }

  window.__reader = {
    clean, all, points, covers, elements, record, outline, isField,
    read() {
      const list = elements();
      return { list, records: list.map(record), outline: outline(list) };
    },
  };
})();
