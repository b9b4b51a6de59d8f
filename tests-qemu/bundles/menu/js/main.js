import { runProofs } from './proofs.js';
import { Router } from './router.js';
import { state } from './state.js';

const view = document.querySelector('#view');
const router = new Router({
  '/menu': async () => (await import('./views/menu.js')).show(view),
  '/status': async () => (await import('./views/status.js')).show(view),
});

await router.go('/menu');
await router.go('/status');
await runProofs(router);
state.done = true;
state.changed();
