// A virtual clock for the task's frame: timers, animation frames and dates stand still until __clock.advance(ms).
// Installed before the page's own scripts, so that animations, delays and the episode timer cost no real time and every run is alike.
(() => {
  if (window === window.top || window.__clock) return;
  const EPOCH = 1480593600000; // 1 December 2016, 12:00 UTC
  const FRAME = 16;
  const RealDate = Date;
  const timers = new Map();
  let now = 0, last = 0;

  const add = (callback, delay, every, args) => {
    last += 1;
    const wait = Math.max(1, Number(delay) || 0);
    timers.set(last, { due: now + wait, every: every ? wait : 0, callback, args });
    return last;
  };
  const remove = id => { timers.delete(id); };

  class VirtualDate extends RealDate {
    constructor(...parts) { if (parts.length) super(...parts); else super(EPOCH + now); }
    static now() { return EPOCH + now; }
  }
  window.Date = VirtualDate;
  window.setTimeout = (callback, delay, ...args) => add(callback, delay, false, args);
  window.setInterval = (callback, delay, ...args) => add(callback, delay, true, args);
  window.requestAnimationFrame = callback => add(() => callback(now), FRAME, false, []);
  window.clearTimeout = window.clearInterval = window.cancelAnimationFrame = remove;
  performance.now = () => now;

  window.__clock = {
    advance(ms) {
      const end = now + ms;
      for (let turns = 0; turns < 10000; turns += 1) {
        let first = null;
        for (const [id, timer] of timers) {
          if (timer.due <= end && (first === null || timer.due < timers.get(first).due)) first = id;
        }
        if (first === null) break;
        const timer = timers.get(first);
        now = Math.max(now, timer.due);
        if (timer.every) timer.due = now + timer.every; else timers.delete(first);
        if (typeof timer.callback === 'function') timer.callback(...timer.args);
      }
      now = end;
    },
  };
})();
