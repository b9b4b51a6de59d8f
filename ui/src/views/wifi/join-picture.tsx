import { useMemo } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { KeyValues } from '../../parts/card.tsx';
import { codePicture, joinText } from './join-code.ts';

/** A QR code with which phones join a network, and the same to type. Closed at first: it shows the passphrase. */
export function JoinCode({ ssid, psk }: { ssid: string; psk: string }) {
  const { viewBox, path } = useMemo(() => codePicture(joinText(ssid, psk)), [ssid, psk]);
  return (
    <details>
      <summary>{t('wifi.code')}</summary>
      <div class="stack">
        <p class="soft">{t('wifi.code_text')}</p>
        <svg class="wifi-code" viewBox={viewBox} role="img" aria-label={t('wifi.code_alt', { name: ssid })}>
          <path d={path} />
        </svg>
        <KeyValues
          rows={[
            [t('wifi.ap_name'), ssid],
            [t('wifi.ap_passphrase'), <code key="psk">{psk}</code>],
          ]}
        />
      </div>
    </details>
  );
}
