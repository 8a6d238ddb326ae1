import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { timeOf } from '../ui/format.ts'

type LowerRetentionProps = {
  name: string
  days: number
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

export function losesPositions(before: number | null, after: number | null | undefined): boolean {
  if (after === null || after === undefined) return false
  return before === null || after < before
}

export function LowerRetention({ name, days, onClose, onConfirm }: LowerRetentionProps) {
  const until = new Date(Date.now() - days * 86_400_000).toISOString()
  return (
    <Confirm
      title={t('Keep positions for only {{count, number}} days?', { count: days })}
      action={t('Save and delete older positions')}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>
        <Phrase
          text={
            'All positions of {{name}} before <strong>{{until}}</strong> are hidden immediately and deleted one to two days later. The same happens to each later day once it reaches that age.'
          }
          values={{ name, until: timeOf(until, 'day', false) }}
          parts={{ strong: <strong /> }}
        />
      </p>
      <p>{t('Only a backup can restore them. Odometers and engine hours do not change.')}</p>
    </Confirm>
  )
}
