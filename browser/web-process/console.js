// Evaluated in the page's world: puts console.c's `relay` before methods of the console, since WebKit's messages have
// the first argument only. Native and bound functions have no place in a script, so messages keep the one in the page's.
(relay) => {
  for (const name of ['debug', 'log', 'info', 'warn', 'error']) {
    const method = relay.bind(undefined, console[name].bind(console));
    console[name] = Object.defineProperty(method, 'name', { value: name });
  }
};
