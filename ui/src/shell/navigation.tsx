import { failureOf } from '../app/failure.ts';
import { VIEW_PATHS } from '../app/paths.ts';
import { path, viewAt } from '../app/router.ts';
import { chooseLanguage, LANGUAGES, language, languages, t } from '../app/texts.ts';
import { chooseTheme, THEMES, theme } from '../app/theme.ts';
import { toast } from '../app/toasts.ts';
import { GROUPS, VIEWS } from '../app/views.ts';
import { SegmentedField, SelectField } from '../parts/choice.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';

/** The links to all views, and what the user sets for this browser. */
export function Navigation() {
  const shown = viewAt(path.value);
  return (
    <>
      <nav aria-label={t('app.views')}>
        {GROUPS.map(({ title, views }) => (
          <div class="nav-group" key={title}>
            <p class="nav-title">{t(title)}</p>
            <ul>
              {views.map((name) => (
                <li key={name}>
                  <Link to={VIEW_PATHS[name]} class="nav-link" current={name === shown}>
                    <Icon name={VIEWS[name].icon} />
                    {t(VIEWS[name].title)}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <section class="nav-foot" aria-label={t('app.preferences')}>
        <SegmentedField
          label={t('app.theme')}
          value={theme.value}
          options={THEMES.map((one) => [one, t(`app.theme_${one}`)])}
          onChange={chooseTheme}
        />
        <SelectField
          label={t('app.language')}
          value={language.value}
          options={languages().map((one) => [one, LANGUAGES[one]])}
          onChange={(wanted) => {
            chooseLanguage(wanted).catch((error: unknown) => toast('bad', failureOf(error).sentence));
          }}
        />
        <a class="nav-api" href="/api/v1/docs">
          {t('app.api')}
        </a>
      </section>
    </>
  );
}
