import type { ComponentChildren } from 'preact';
import { language, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { KeyValues } from '../../parts/card.tsx';
import { Item } from '../../parts/items.tsx';
import { type Certificate, nameIn, periodOf, validityWords, wholeName } from './certificate-words.ts';

interface CertificateItemProps {
  certificate: Certificate;
  /** What it is for, if the list has several kinds. */
  role?: string;
  actions?: ComponentChildren;
}

/** A certificate of the device in a list. */
export function CertificateItem({ certificate, role, actions }: CertificateItemProps) {
  const { subject, issuer, names, fingerprint_sha256 } = certificate;
  const { level, text } = validityWords(certificate, Date.now(), language.value);
  const issuerText = subject === issuer ? t('certificates.self') : nameIn(issuer);
  return (
    <Item
      icon="certificates"
      title={titleOf(certificate)}
      text={
        <>
          {role && <span class="line">{role}</span>}
          <span class="line">{t('certificates.issued_by', { name: issuerText })}</span>
        </>
      }
      badges={<Badge level={level} text={text} />}
      actions={actions}
    >
      <details>
        <summary>{t('app.more')}</summary>
        <KeyValues
          rows={[
            [t('certificates.subject'), wholeName(subject)],
            [t('certificates.issuer'), wholeName(issuer)],
            ...(names.length > 0
              ? [[t('certificates.names'), names.join(', ')] satisfies [string, string]]
              : []),
            [t('certificates.validity'), periodOf(certificate, language.value)],
            [t('certificates.fingerprint'), <code key="fingerprint">{fingerprint_sha256}</code>],
          ]}
        />
      </details>
    </Item>
  );
}

/** The name of a certificate in a list or a question. */
export function titleOf({ subject, names }: Certificate): string {
  return nameIn(subject) || (names[0] ?? t('certificates.unnamed'));
}
