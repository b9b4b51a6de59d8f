/** The frame of the app: navigation beside the view on wide screens, behind a menu on narrow ones. */
import { useEffect, useState } from 'preact/hooks';
import { connection, device } from '../app/device-state.ts';
import { path } from '../app/router.ts';
import { t } from '../app/texts.ts';
import { IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ToastList } from '../parts/toast-list.tsx';
import { LinkBanner } from './link-banner.tsx';
import { Navigation } from './navigation.tsx';
import { ViewHost } from './view-host.tsx';

export function Shell() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const isOnline = connection.link.value.phase === 'online';
  const at = path.value;
  // A navigation closes the menu.
  useEffect(() => setMenuOpen(false), [at]);
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {t('app.skip')}
      </a>
      <header class="top">
        <IconButton
          icon="menu"
          label={t('app.menu')}
          expanded={isMenuOpen}
          onClick={() => setMenuOpen(true)}
        />
        <Brand />
      </header>
      <div class="side">
        <header>
          <Brand />
        </header>
        <Navigation />
      </div>
      {isMenuOpen && (
        <Dialog class="drawer" label={t('app.menu')} onClose={() => setMenuOpen(false)}>
          <div class="drawer-head">
            <Brand />
            <IconButton icon="close" label={t('app.close')} onClick={() => setMenuOpen(false)} />
          </div>
          <Navigation />
        </Dialog>
      )}
      <main id="content" class={isOnline ? 'main' : 'main main-offline'} tabIndex={-1}>
        <LinkBanner />
        <ViewHost />
      </main>
      <ToastList />
    </div>
  );
}

/** The name of the device, and whether it is connected. */
function Brand() {
  const { phase } = connection.link.value;
  const status =
    phase === 'online' ? t('link.online') : t(phase === 'connecting' ? 'link.connecting' : 'link.offline');
  return (
    <div class="brand">
      <img src="/favicon.svg" alt="" width="32" height="32" />
      <div>
        <p class="brand-name">{device.value.value?.name ?? 'Vitrine'}</p>
        <p class={`brand-link brand-${phase}`}>{status}</p>
      </div>
    </div>
  );
}
