/** Configuration group `input`. */
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const inputConfig = configGroup(
  'input',
  'InputConfig',
  {
    keyboard_layout: live.text('us', {
      pattern: '^[a-z]{2,8}(?:\\([A-Za-z0-9_-]{1,32}\\))?$',
      description:
        'Of keyboards and scanners: a layout of XKB, with its variant in parentheses if it has one. The on-screen ' +
        'keyboard has `browser.keyboard_layouts`',
      examples: ['de', 'ch(fr)', 'us(intl)'],
    }),
  },
  {
    rules: ({ keyboard_layout }, { hasKeyboardLayout }) =>
      keyboard_layout === 'us' || hasKeyboardLayout(keyboard_layout)
        ? []
        : [{ path: '/keyboard_layout', message: 'must be a keyboard layout of XKB, such as de or ch(fr)' }],
  },
);
