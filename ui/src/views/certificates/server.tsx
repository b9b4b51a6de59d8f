import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { network } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Row } from '../../parts/field.tsx';
import { Items } from '../../parts/items.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { CertificateItem } from './certificate-item.tsx';
import { type Certificates, type Cut, covers, cutBy } from './certificate-words.ts';
import { certificates, removeServer } from './certificates-state.ts';
import { UploadServer } from './upload-server.tsx';

/** The certificate with which the device answers over HTTPS. */
export function ServerCard() {
  const hostname = network.value.value?.hostname;
  // Until the device has said its name, no name in the address is taken for one of a certificate.
  const cut = cutBy(location, hostname ?? location.hostname);
  return (
    <Card title={t('certificates.server')}>
      <p class="soft">{t('certificates.server_text')}</p>
      <Loaded of={certificates}>
        {({ server }) => (
          <>
            {server.length === 0 ? <NoServer /> : <Server server={server} cut={cut} />}
            <UploadServer isReplacing={server.length > 0} cut={cut} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function NoServer() {
  return (
    <EmptyState icon="lock" title={t('certificates.server_none')}>
      {t('certificates.server_none_do')}
    </EmptyState>
  );
}

function Server({ server, cut }: { server: Certificates['server']; cut: Cut }) {
  const [isAsking, setAsking] = useState(false);
  const isOwn = location.protocol === 'https:';
  const remove = useAction({
    showsFailure: true,
    run: async () => {
      await removeServer(isOwn);
      // Over HTTP, this page has another address.
      if (isOwn && cut === 'https' && location.port === '') location.assign(withoutEncryption());
    },
    done: () => t('certificates.server_removed'),
  });
  const names = server[0]?.names ?? [];
  return (
    <>
      <Items label={t('certificates.server')}>
        {server.map((certificate, index) => (
          <CertificateItem
            key={certificate.fingerprint_sha256}
            certificate={certificate}
            role={t(index === 0 ? 'certificates.role_server' : 'certificates.role_chain')}
          />
        ))}
      </Items>
      {!covers(names, location.hostname) && (
        <div class="stack">
          <Badge level="warning" text={t('certificates.not_for', { host: location.hostname })} />
          <p class="soft">{t('certificates.not_for_do', { names: names.join(', ') })}</p>
        </div>
      )}
      <Row>
        <Button kind="danger" onClick={() => setAsking(true)}>
          {t('certificates.server_remove')}
        </Button>
        <CopyAs
          what={t('certificates.server_remove')}
          sample={{ method: 'DELETE', path: '/files/certificates/server' }}
        />
      </Row>
      {isAsking && (
        <Confirm
          title={t('certificates.server_remove_title')}
          confirm={t('certificates.server_remove')}
          isDanger
          action={remove}
          onClose={() => setAsking(false)}
        >
          <p>{t('certificates.server_remove_text')}</p>
          {isOwn && (
            <p class="field-error">{t('certificates.cut_https', { address: withoutEncryption() })}</p>
          )}
          {cut === 'name' && (
            <p class="field-error">{t('certificates.cut_name', { host: location.hostname })}</p>
          )}
        </Confirm>
      )}
    </>
  );
}

/** The address of this view over HTTP. */
function withoutEncryption(): string {
  return `http://${location.hostname}${location.pathname}`;
}
