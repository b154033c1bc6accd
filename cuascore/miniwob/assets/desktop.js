// The drawn desktop: shows a task's page in a window, in one of three looks.
window.addEventListener('DOMContentLoaded', () => {
  const frame = document.getElementById('page');
  const TOPS = {
    ubuntu: ['Activities', 'Thu 1 Dec 12:00', 'en'],
    windows: ['', '', '12:00'],
    mac: ['Finder   File   Edit   View', '', 'Thu 1 Dec  12:00'],
  };
  const BUTTONS = { ubuntu: '– ▢ ✕', windows: '—   ▢   ✕', mac: '' };
  let common = '', styles = {};
  const pictures = new Map();

  // Every picture that a page's styles name, also those that only show under the pointer: an icon whose picture
  // comes late has no size for a moment, and a click misses it. Kept, so that the next load finds them decoded.
  async function pictured(page) {
    const addresses = [...page.styleSheets].flatMap(sheet => [...sheet.cssRules]
      .flatMap(rule => [...rule.cssText.matchAll(/url\("?([^")]+)"?\)/g)].map(found => new URL(found[1], sheet.href || page.baseURI).href)));
    await Promise.all(addresses.filter(address => !pictures.has(address)).map(address => {
      const picture = new page.defaultView.parent.Image();
      picture.src = address;
      pictures.set(address, picture);
      return picture.decode().catch(() => {});
    }));
  }

  window.desktop = {
    page: () => frame.contentWindow,
    setStyles(shared, looks) { common = shared; styles = looks; },
    // Two real animation frames: what was changed has been laid out and painted.
    frames: () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    async images() {
      const images = [...frame.contentDocument.images];
      await Promise.all([...images.map(image => image.decode().catch(() => {})), frame.contentDocument.fonts.ready, document.fonts.ready]);
    },
    show(url, look, left, top) {
      document.body.className = look;
      ['l', 'c', 'r'].forEach((part, i) => { document.querySelector(`#top .${part}`).textContent = TOPS[look][i]; });
      document.getElementById('buttons').textContent = BUTTONS[look];
      const outer = document.getElementById('window');
      outer.style.left = `${left}px`;
      outer.style.top = `${top}px`;
      return new Promise(done => {
        frame.onload = () => {
          const style = frame.contentDocument.createElement('style');
          style.textContent = `${common}\n${styles[look]}`;
          frame.contentDocument.head.appendChild(style);
          document.getElementById('caption').textContent = frame.contentDocument.title.replace(/ Task$/, '');
          pictured(frame.contentDocument).then(done);
        };
        if (frame.src === url) frame.contentWindow.location.reload(); else frame.src = url;
      });
    },
  };
});
