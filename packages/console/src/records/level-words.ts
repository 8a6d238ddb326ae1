import type { Level, Track } from '../api/types.ts'
import { t } from '../language/text.ts'
import { decimal } from '../ui/format.ts'

type Entry = Track['attributes'][number]

/** A change of a level in words. `entries`: of the numbers of its day, which have labels and units. */
export function levelWords(
  { attribute, kind, amount, before, after }: Level,
  entries: readonly Entry[],
): { amount: string; title: string; range: string } {
  const entry = entries.find(({ name }) => name === attribute)
  const unit = entry?.unit == null ? '' : ` ${entry.unit}`
  const signed = `${kind === 'filled' ? '+' : '−'}${decimal(amount)}${unit}`
  const values = { level: entry?.label ?? attribute, amount: signed }
  return {
    amount: signed,
    title:
      kind === 'filled'
        ? t('Filled: {{level}} {{amount}}', values)
        : t('Drained: {{level}} {{amount}}', values),
    range: `${decimal(before)} → ${decimal(after)}${unit}`,
  }
}
