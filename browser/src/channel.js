// The page's end of a channel. Runs in a world of its own, in the top frame only: the page shares the document's events
// with it, but no object, function or prototype, and does not see the message handler. PROTOCOL.md describes the events.
(() => {
  const MAX_BYTES = 1024 * 1024;
  // What the browser may hold for the agent: each message counts once, and once more for each 64 KiB. The page keeps
  // further messages itself.
  const WINDOW = 64;
  const UNIT_BYTES = 64 * 1024;
  const encoder = new TextEncoder();
  // After a navigation, this script may still get an answer. `window` is that of the next document then, and the view of
  // its own one is null.
  const own = document;
  const post = (message) => webkit.messageHandlers.vitrine.postMessage(message);

  // The size of a message in credits; 0 if it is not a message.
  function sizeOf(text) {
    if (typeof text !== 'string' || text.length > MAX_BYTES) return 0;
    const bytes = encoder.encode(text).length;
    if (bytes > MAX_BYTES) return 0;
    try {
      JSON.parse(text);
      return 1 + Math.floor(bytes / UNIT_BYTES);
    } catch {
      return 0;
    }
  }

  // Serves the channel of a kind. The names of its events begin with `prefix`.
  function serve(kind, prefix) {
    const tell = (event, detail = null) => {
      if (own.defaultView) window.dispatchEvent(new CustomEvent(`${prefix}-${event}`, { detail }));
    };
    const ask = (request, token, members) => post({ request, kind, token, ...members });

    let isWanted = false;
    let isChanging = false;
    // Names the open channel, so that the browser can tell a message of an earlier document. Null while it is closed.
    let token = null;
    let room = 0;
    // A message of the page was refused because there was no room.
    let isWaiting = false;
    // Sent by the script that runs now. The browser gets them together, which costs as much as one.
    let unsent = [];
    let unsentSize = 0;

    // Opens or closes until that is what the page wants. The browser answers each step, so a page cannot do it fast.
    async function change() {
      if (isChanging) return;
      isChanging = true;
      while (isWanted !== (token !== null)) {
        if (isWanted) {
          const name = String(Math.random());
          if ((await ask('open', name, { origin: window.origin })) !== true) {
            isWanted = false;
            tell('closed');
            break;
          }
          token = name;
          receive(name);
          room = WINDOW;
          tell('ready');
        } else {
          const name = token;
          flush(name);
          setClosed();
          await ask('close', name);
        }
      }
      isChanging = false;
    }

    function setClosed() {
      token = null;
      room = 0;
      isWaiting = false;
      unsent = [];
      unsentSize = 0;
    }

    // Asking for the next messages tells the browser that the page has got those before.
    async function receive(name) {
      while (token === name) {
        const texts = await ask('next', name);
        if (!Array.isArray(texts)) break;
        for (const text of texts) if (token === name) tell('message', text);
        // An answer that the page has just sent goes first.
        flush(name);
      }
      if (token !== name) return;
      // The browser has closed it. The page may ask for another one.
      setClosed();
      isWanted = false;
      tell('closed');
    }

    function send(name, text, size) {
      room -= size;
      unsent.push(text);
      unsentSize += size;
      if (unsent.length === 1) queueMicrotask(() => flush(name));
    }

    async function flush(name) {
      if (token !== name || unsent.length === 0) return;
      const [texts, size] = [unsent, unsentSize];
      unsent = [];
      unsentSize = 0;
      await ask('send', name, { texts });
      if (token !== name) return;
      room += size;
      if (!isWaiting) return;
      isWaiting = false;
      tell('ready');
    }

    const on = (event, listener) => window.addEventListener(`${prefix}-${event}`, listener);
    on('open', (event) => {
      // A document with an opaque origin has no channel, and its script learns that nothing listens.
      if (window.origin === 'null') return;
      event.preventDefault();
      isWanted = true;
      change();
    });
    on('close', (event) => {
      event.preventDefault();
      isWanted = false;
      change();
    });
    on('send', (event) => {
      const text = event.detail;
      // While the page has to wait, its texts are not examined, so a page that floods is refused quickly.
      if (token === null || isWaiting) return;
      const size = sizeOf(text);
      if (size > room) isWaiting = true;
      else if (size > 0) {
        event.preventDefault();
        send(token, text, size);
      }
    });
  }

  // If a page navigates itself while the agent loads another one, the browser may have the other one's URI for this
  // document. It grants permissions only if the URI has this origin.
  post({ request: 'document', origin: window.origin });
  serve('page', 'vitrine');
  // For the documents that have another channel (devices.c).
  window.vitrineServe = serve;
})();
