import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { plural, t } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Items } from '../../parts/items.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { CertificateItem, titleOf } from './certificate-item.tsx';
import type { Certificate } from './certificate-words.ts';
import {
  addAuthorities,
  certificates,
  PEM_TYPE,
  removeAllAuthorities,
  removeAuthority,
} from './certificates-state.ts';
import { ChooseFiles, useChosenFiles } from './chosen-files.tsx';
import { authorityProblem } from './pem-files.ts';

/** How many are listed: all of a public list would be 150. */
const MOST = 100;

/** Authorities whose signatures the device accepts, besides those that every browser accepts. */
export function AuthoritiesCard() {
  return (
    <Card title={t('certificates.ca')}>
      <p class="soft">{t('certificates.ca_text')}</p>
      <Loaded of={certificates}>{({ ca }) => <Authorities list={ca} />}</Loaded>
      <AddAuthorities />
    </Card>
  );
}

function Authorities({ list }: { list: readonly Certificate[] }) {
  /** The one that is to be removed, or all. */
  const [asked, setAsked] = useState<Certificate | 'all'>();
  const remove = useAction({
    showsFailure: true,
    run: async () => {
      if (asked === 'all') await removeAllAuthorities();
      else if (asked) await removeAuthority(asked.pem);
    },
    done: () => t('certificates.ca_removed'),
  });
  if (list.length === 0) {
    return (
      <EmptyState icon="certificates" title={t('certificates.ca_none')}>
        {t('certificates.ca_none_do')}
      </EmptyState>
    );
  }
  return (
    <>
      <Items label={t('certificates.ca')}>
        {list.slice(0, MOST).map((certificate) => (
          <CertificateItem
            key={certificate.fingerprint_sha256}
            certificate={certificate}
            actions={
              <IconButton
                icon="remove"
                label={t('certificates.ca_remove_what', { name: titleOf(certificate) })}
                onClick={() => setAsked(certificate)}
              />
            }
          />
        ))}
      </Items>
      {list.length > MOST && <p class="soft">{plural('certificates.more', list.length - MOST)}</p>}
      <Row>
        <Button kind="danger" onClick={() => setAsked('all')}>
          {t('certificates.ca_remove_all')}
        </Button>
        <CopyAs
          what={t('certificates.ca_remove_all')}
          sample={{ method: 'DELETE', path: '/files/certificates/ca' }}
        />
      </Row>
      {asked && (
        <Confirm
          title={
            asked === 'all'
              ? t('certificates.ca_remove_all_title')
              : t('certificates.ca_remove_title', { name: titleOf(asked) })
          }
          confirm={asked === 'all' ? t('certificates.ca_remove_all') : t('certificates.ca_remove')}
          isDanger
          action={remove}
          onClose={() => setAsked(undefined)}
        >
          <p>{t('certificates.ca_remove_text')}</p>
        </Confirm>
      )}
    </>
  );
}

function AddAuthorities() {
  const chosen = useChosenFiles();
  const add = useAction({
    showsFailure: true,
    run: async () => {
      await addAuthorities(chosen.parts);
      chosen.clear();
    },
    done: () => t('certificates.ca_added'),
  });
  const problem = authorityProblem(chosen.parts);
  const isReady = chosen.areReadable && problem === undefined;
  return (
    <div class="stack">
      <h3>{t('certificates.ca_add_title')}</h3>
      <ChooseFiles
        label={t('certificates.ca_drop')}
        hint={t('certificates.ca_drop_hint')}
        chosen={chosen}
        disabled={add.busy.value}
      />
      <div role="status" class="result">
        {chosen.files.length > 0 && chosen.areReadable && problem && <p>{t(`certificates.ca_${problem}`)}</p>}
      </div>
      <p class="soft small">{t('certificates.ca_restart')}</p>
      <FailureText failure={add.failure.value} />
      <Row>
        <Button kind="primary" busy={add.busy.value} disabled={!isReady} onClick={() => void add.start()}>
          {t('certificates.ca_add')}
        </Button>
        <CopyAs
          what={t('certificates.ca_add')}
          sample={{
            method: 'PUT',
            path: '/files/certificates/ca',
            file: { name: 'authorities.pem', type: PEM_TYPE },
          }}
        />
      </Row>
    </div>
  );
}
