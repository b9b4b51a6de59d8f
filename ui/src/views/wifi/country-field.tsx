import { useMemo } from 'preact/hooks';
import { language, t } from '../../app/texts.ts';
import { SelectField } from '../../parts/choice.tsx';
import { countryNames } from './countries.ts';

interface CountryFieldProps {
  /** Empty for none yet. */
  value: string;
  onChange: (code: string) => void;
}

/** The country whose rules the radio keeps. */
export function CountryField({ value, onChange }: CountryFieldProps) {
  const shown = language.value;
  const names = useMemo(() => countryNames(shown), [shown]);
  const options = value === '' ? ([['', t('wifi.country_choose')], ...names] as const) : names;
  return (
    <SelectField
      label={t('wifi.country')}
      hint={t('wifi.country_hint')}
      value={value}
      options={options}
      onChange={onChange}
    />
  );
}
