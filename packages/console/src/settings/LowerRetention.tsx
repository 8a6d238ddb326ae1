import type { OrganizationSummary } from '../api/types.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { counted, timeOf } from '../ui/format.ts'

type LowerRetentionProps = {
  organization: OrganizationSummary
  days: number
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

export function LowerRetention({ organization, days, onClose, onConfirm }: LowerRetentionProps) {
  const until = new Date(Date.now() - days * 86_400_000).toISOString()
  return (
    <Confirm
      title={`Keep positions for ${counted(days, 'day')} only?`}
      action="Save and delete older positions"
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>
        All positions of {organization.name} from before{' '}
        <strong>{timeOf(until, 'day', false)}</strong> are hidden at once and deleted one to two
        days later, and those of each day as it gets older than that.
      </p>
      <p>Only a backup can restore them. Odometers and engine hours stay as they are.</p>
    </Confirm>
  )
}
