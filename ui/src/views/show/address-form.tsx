import { useState } from 'preact/hooks';
import { addToList, remember, rememberedList } from '../../app/storage.ts';
import { t } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Row, TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { addressIn } from './address.ts';

/** How many addresses are remembered. */
const MOST = 8;
/** In code samples while the field has no address. */
const EXAMPLE = 'https://example.com/';

interface AddressFormProps {
  isBusy: boolean;
  show: (url: string) => void;
}

/** A field for an address, and those that were shown before from this browser. */
export function AddressForm({ isBusy, show }: AddressFormProps) {
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const [history, setHistory] = useState(() => rememberedList('addresses', MOST));
  const keep = (list: string[]) => {
    setHistory(list);
    remember('addresses', JSON.stringify(list));
  };
  const submit = (text: string) => {
    const address = addressIn(text);
    setWrong(address === undefined);
    if (address === undefined) return;
    keep(addToList(history, address, MOST));
    show(address);
  };
  return (
    <div class="stack">
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) submit(typed);
        }}
      >
        <TextField
          keyboard="url"
          label={t('show.address')}
          value={typed}
          placeholder="https://"
          hint={t('show.address_hint')}
          error={isWrong ? t('show.address_invalid') : undefined}
          onInput={(text) => {
            setTyped(text);
            setWrong(false);
          }}
        />
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t('show.show')}
          </Button>
          <CopyAs
            what={t('show.show')}
            sample={{ method: 'POST', path: '/display/navigate', json: { url: addressIn(typed) ?? EXAMPLE } }}
          />
        </Row>
      </form>
      {history.length > 0 && (
        <div>
          <h3>{t('show.history')}</h3>
          <ul class="choices">
            {history.map((address) => (
              <li key={address} class="choice">
                <button
                  type="button"
                  class="choice-main"
                  disabled={isBusy}
                  aria-label={t('show.show_what', { what: address })}
                  onClick={() => submit(address)}
                >
                  <Icon name="globe" />
                  <span>{address}</span>
                </button>
                <IconButton
                  icon="close"
                  label={t('show.forget', { what: address })}
                  onClick={() => keep(history.filter((one) => one !== address))}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
