/** Configuration group `input`. */
import { matching } from '../../contract/shared.ts';
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const inputConfig = configGroup(
  'input',
  'InputConfig',
  {
    keyboard_layout: live.text('us', {
      ...matching(
        '^[a-z]{2,8}(?:\\([A-Za-z0-9_-]{1,32}\\))?$',
        'must be a keyboard layout of XKB, such as de or ch(fr)',
      ),
      description:
        'Of keyboards and scanners, which mostly type as a US keyboard does: a layout of XKB that the image has data for, ' +
        'with its variant in parentheses. The compositor restarts and shows the same page again; on the profile `generic` it ' +
        'is stored and never applied. The on-screen keyboard has `browser.keyboard_layouts`',
      examples: ['de', 'ch(fr)', 'us(intl)'],
    }),
    remote: live.bool(false, {
      description:
        'Whether `POST /input/inject` moves the pointer, clicks and types on the screen. False releases what it holds. On the ' +
        'profile `generic` it is stored and never applied',
    }),
  },
  {
    rules: ({ keyboard_layout }, { hasKeyboardLayout }) =>
      keyboard_layout === 'us' || hasKeyboardLayout(keyboard_layout)
        ? []
        : [{ path: '/keyboard_layout', message: 'must be a keyboard layout of XKB, such as de or ch(fr)' }],
  },
);
