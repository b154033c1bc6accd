// Closed-loop experts: each reads the page as it is now and returns the next right move, also after a wrong one.
// A move is {verb, element, text, amount}; null where the expert is lost. They may read what a person cannot see.
(() => {
  if (window === window.top || window.__experts) return;
  const { clean, all } = window.__reader;
  const { one, shown, query, quoted, reach, click, fill } = window.__moves;

  const names = () => query().replace(/^Select /, '').replace(/ (from the (scroll )?list )?and click Submit\.$/, '').split(', ');
  const submit = () => click(one('#subbtn') || all('#area button').pop());

  function checkboxes() {
    const wanted = names();
    const wrong = all('#area input[type=checkbox]').find(box => wanted.includes(clean(box.parentElement.textContent)) !== box.checked);
    return wrong ? click(wrong) : submit();
  }

  function hiddenLink(opener) {
    const links = all('.alink').filter(link => link.textContent === quoted()[0]);
    const link = links.find(shown);
    return click(link || opener(links[0]));
  }
  const tabs = () => hiddenLink(link => one(`a[href="#${link.closest('.ui-tabs-panel').id}"]`));

  function login() {
    if (one('#popup')) return click(one('#popup-cancel'));
    const [user, password] = quoted();
    return fill([[one('#username'), user], [one('#password'), password]]) || submit();
  }

  function formSequence2() {
    const [, radio, , text] = query().match(/the (\d)\w+ radio button and enter the number "([^"]*)" into the (\d)/);
    const box = all('input[type=radio]')[radio - 1];
    const pairs = all('#area input[type=text]').map((field, i) => [field, i === text - 1 ? quoted()[0] : '']);
    if (pairs.some(([field, wanted]) => field === document.activeElement && field.value !== wanted)) return fill(pairs);
    return box.checked ? fill(pairs) || submit() : click(box);
  }

  function formSequence3() {
    const wanted = query().match(/^Choose (.*) from the dropdown/)[1];
    if (one('#dropdown').value === wanted) return click(all('#buttons button').find(button => button.textContent === quoted()[0]));
    if (one('.selectric-open')) return click(all('.selectric-items li').find(item => clean(item.textContent) === wanted));
    return click(one('.selectric'));
  }

  function searchEngine() {
    const typed = fill([[one('#search-text'), quoted()[0]]]);
    if (typed) return typed;
    const number = parseInt(query().match(/(\d+)(st|nd|rd|th) search result/)[1], 10);
    const links = all('#page-content a');
    if (!links.length || links.some(link => link.dataset.result === '-1')) return click(one('#search'));
    const link = links.find(candidate => candidate.dataset.result === String(number - 1));
    if (link) return click(link);
    return click(all('#pagination a').find(candidate => candidate.textContent === String(Math.ceil(number / 3))));
  }

  function emailOrder() {
    const fields = window.core.currentFields;
    if (fields) return { act: fields.task, by: fields.by, to: fields.to, message: fields.message };
    const by = query().match(/email by (\S+)/)[1];
    if (/reply to them/.test(query())) return { act: 'reply', by, message: quoted()[0] };
    if (/forward that email/.test(query())) return { act: 'forward', by, to: query().match(/email to (\S+)\.$/)[1] };
    return { act: /trash/.test(query()) ? 'delete' : 'star', by };
  }

  function email() {
    const { act, by, to, message } = emailOrder();
    const sender = node => clean(node.textContent);
    if (one('#reply')) {
      if (act !== 'reply' || sender(one('#reply .reply-sender')) !== by) return click(one('#close-reply'));
      return fill([[one('#reply-text'), message]]) || click(one('#send-reply'));
    }
    if (one('#forward')) {
      if (act !== 'forward' || sender(one('#email .email-sender')) !== by) return click(one('#close-forward'));
      return fill([[one('#forward .forward-sender'), to]]) || click(one('#send-forward'));
    }
    if (one('#email')) {
      if (sender(one('#email .email-sender')) !== by) return click(one('#close-email'));
      return click(one({ reply: '.email-reply', forward: '.email-forward', delete: '#email .trash', star: '#email .star' }[act]));
    }
    if (!one('#search').classList.contains('hide')) return click(one('#search-cancel'));
    const thread = all('#main .email-thread').find(mail => sender(mail.querySelector('.email-sender')) === by);
    if (act === 'delete') return click(thread.querySelector('.trash'));
    return click(act === 'star' ? thread.querySelector('.star') : thread);
  }

  const POST_BUTTONS = { Reply: 'reply', Retweet: 'retweet', Like: 'like', Share: 'share' };
  const POST_MENU = {
    'Share via DM': 'share', 'Copy link to Tweet': 'copy', 'Embed Tweet': 'embed', Mute: 'menu-user', Block: 'block-user', Report: 'report',
  };
  const postsBy = user => all('.media').filter(post => post.querySelector('.username').textContent === user);

  function socialMedia() {
    const [, user, label] = query().match(/user (\S+), click on the "([^"]*)"/);
    const post = postsBy(user)[0], open = all('.media ul').find(shown);
    let target = label in POST_BUTTONS ? post.querySelector(`.${POST_BUTTONS[label]}`) : post.querySelector(`li.${POST_MENU[label]}`);
    if (!shown(target)) target = post.querySelector('.more');
    const move = click(target);
    // An open menu may lie over the target: close it first.
    if (move.verb === 'scroll' && open && !open.contains(target)) return click(open.parentElement.querySelector('.more'));
    return move;
  }

  function socialMediaSome() {
    const [, label, count, user] = query().match(/^Click the "(\w+)" button on (\d+) posts? by (\S+)/);
    const wanted = postsBy(user).map(post => post.querySelector(`.${POST_BUTTONS[label]}`));
    const stray = all('.media .active').find(icon => !wanted.includes(icon));
    if (stray) return click(stray);
    const active = wanted.filter(icon => icon.classList.contains('active'));
    if (active.length > count) return click(active.pop());
    if (active.length < count) return click(wanted.find(icon => !icon.classList.contains('active')));
    return click(one('#submitRow button'));
  }

  function chooseDate() {
    const [, month, day, year] = query().match(/(\d+)\/(\d+)\/(\d+)/).map(Number);
    const field = one('#datepicker'), panel = one('#ui-datepicker-div');
    const [m, d, y] = field.value.split('/').map(Number);
    if (m === month && d === day && y === year) return submit();
    if (!shown(panel)) return click(document.activeElement === field ? one('#area p') : field);
    const at = new Date(`${clean(panel.querySelector('.ui-datepicker-month').textContent)} 1, ${clean(panel.querySelector('.ui-datepicker-year').textContent)}`);
    const months = (year - at.getFullYear()) * 12 + month - 1 - at.getMonth();
    if (months) return click(panel.querySelector(months > 0 ? '.ui-datepicker-next' : '.ui-datepicker-prev'));
    return click([...panel.querySelectorAll('td a')].find(link => link.textContent === String(day)));
  }

  function chooseList() {
    const wanted = names()[0], list = one('#options');
    const option = [...list.options].find(candidate => candidate.text === wanted);
    if (list.matches(':open')) return click(option);
    return list.value === option.value ? submit() : click(list);
  }

  function scrollList() {
    const wanted = names(), list = one('#options');
    const chosen = [...list.selectedOptions].map(option => option.text);
    const missing = wanted.filter(name => !chosen.includes(name)), stray = chosen.filter(name => !wanted.includes(name));
    const option = name => [...list.options].find(candidate => candidate.text === name);
    if (!missing.length && !stray.length) return submit();
    if (!missing.length && stray.length === 1) return reach(option(stray[0]), 'ctrl_click');
    if (stray.length || !chosen.length) return click(option(wanted[0]));
    return reach(option(missing[0]), 'ctrl_click');
  }

  function menu() {
    const path = query().replace(/^Select /, '').split('>');
    let list = one('#menu'), move = null;
    for (const [depth, name] of path.entries()) {
      const item = [...list.children].find(child => clean(child.firstElementChild.textContent) === name);
      if (!shown(item.firstElementChild)) return move;
      move = reach(item.firstElementChild, depth === path.length - 1 ? 'click' : 'hover');
      list = item.querySelector('ul');
    }
    return move;
  }

  function spinner() {
    const wanted = Number(query().match(/-?\d+/)[0]), value = Number(one('#spinner').value);
    if (value === wanted) return submit();
    return click(one(value < wanted ? '.ui-spinner-up' : '.ui-spinner-down'));
  }

  function phoneBook() {
    const { index, property } = window.__expected;
    const at = Number(one('#contact .name').dataset.index);
    if (at === index) return click(one(`#contact .${property}`));
    return click(all('#pagination a').filter(shown).find(link => link.textContent === (at < index ? '>' : '<')));
  }

  function readTable() {
    const key = query().match(/value of (.*) into the text/)[1];
    const row = all('#tab tr').find(candidate => candidate.firstChild.textContent === key);
    return fill([[one('#tt'), row.lastChild.textContent]]) || submit();
  }

  function findWord() {
    const number = parseInt(query().match(/Find the (\d+)/)[1], 10);
    const word = clean(one('#area p').textContent).split(' ')[number - 1].replace(/[^a-zA-Z]/g, '');
    return fill([[one('#answer-input'), word]]) || submit();
  }

  function movie() {
    const [, genre, director, year] = query().match(/^Search for (.*) movies directed by (.*) from year (\d+)/);
    const fields = all('#area input').map(field => {
      const label = clean(field.closest('p, .row, tr, .field, .ui-entry').textContent);
      return [field, /Genre/.test(label) ? genre : /Director/.test(label) ? director : year];
    });
    return fill(fields) || click(one('#area button, .final, .ui-submit'));
  }

  function tree() {
    const targets = all('#tree span').filter(span => span.textContent === quoted()[0]);
    const target = targets.find(shown);
    if (target) return click(target);
    let folder = targets[0];
    while (!shown(folder)) folder = folder.parentElement.parentElement.closest('li').querySelector('span');
    return click(folder);
  }

  function ticket() {
    const value = button => (/cost/.test(query()) ? Number(button.dataset.price)
      : Number(button.closest('.flight').querySelector('.time-duration').dataset.duration));
    const sorted = all('.buy-ticket').sort((a, b) => value(a) - value(b));
    return click(/cheapest|shortest/.test(query()) ? sorted[0] : sorted[sorted.length - 1]);
  }

  const EXPERTS = {
    'buy-ticket': ticket,
    'choose-date-easy': chooseDate,
    'choose-date-medium': chooseDate,
    'choose-list': chooseList,
    'click-button-sequence': () => click(one(window.buttonsPushed.length ? '#subbtn2' : '#subbtn')),
    'click-checkboxes': checkboxes,
    'click-checkboxes-large': checkboxes,
    'click-checkboxes-transfer': checkboxes,
    'click-collapsible-2': () => hiddenLink(link => link.closest('.ui-accordion-content').previousElementSibling),
    'click-menu': menu,
    'click-option': () => {
      const radio = all('#area input[type=radio]').find(box => clean(box.parentElement.textContent) === names()[0]);
      return radio.checked ? submit() : click(radio);
    },
    'click-scroll-list': scrollList,
    'click-tab-2': tabs,
    'click-tab-2-hard': tabs,
    'copy-paste': () => fill([[one('#answer-input'), one('#to-copy').value]]) || submit(),
    'email-inbox': email,
    'email-inbox-forward': email,
    'email-inbox-nl-turk': email,
    'email-inbox-reply': email,
    'enter-password': () => fill([[one('#password'), quoted()[0]], [one('#verify'), quoted()[0]]]) || submit(),
    'enter-text': () => fill([[one('#tt'), quoted()[0]]]) || submit(),
    'enter-text-2': () => fill([[one('#tt'), /upper/.test(query()) ? quoted()[0].toUpperCase() : quoted()[0].toLowerCase()]]) || submit(),
    'find-word': findWord,
    'form-sequence-2': formSequence2,
    'form-sequence-3': formSequence3,
    'login-user': login,
    'login-user-popup': login,
    'multi-layouts': movie,
    'multi-orderings': movie,
    'navigate-tree': tree,
    'phone-book': phoneBook,
    'read-table': readTable,
    'search-engine': searchEngine,
    'social-media': socialMedia,
    'social-media-some': socialMediaSome,
    'use-spinner': spinner,
  };

  window.__experts = EXPERTS;
})();
