import { TextField } from '../ui/form/Field.tsx'
import { type GrantDraft, grantIn } from './grant.ts'

type GrantFieldsProps = {
  draft: GrantDraft
  onChange: (draft: GrantDraft) => void
  /** The setting of the organization: marks a missing text once the form was submitted (`tried`). */
  isNeeded: boolean
  tried: boolean
}

/** For whom a key is, and why. */
export function GrantFields({ draft, onChange, isNeeded, tried }: GrantFieldsProps) {
  const { recipient, purpose } = grantIn(draft)
  const isMissing = (text: string | null) => isNeeded && tried && text === null
  return (
    <>
      <TextField
        label="Recipient"
        name="recipient"
        autoComplete="off"
        placeholder="Insurer Ltd"
        value={draft.recipient}
        onChange={(text) => onChange({ ...draft, recipient: text })}
        help={`Who gets the data. ${isNeeded ? 'This organization requires it.' : 'Optional.'}`}
        error={isMissing(recipient) ? 'Name who gets the data.' : undefined}
      />
      <TextField
        label="Purpose"
        name="purpose"
        autoComplete="off"
        placeholder="Claims of the car fleet"
        value={draft.purpose}
        onChange={(text) => onChange({ ...draft, purpose: text })}
        help={`Why the recipient gets the data. ${isNeeded ? 'This organization requires it.' : 'Optional.'}`}
        error={isMissing(purpose) ? 'Say why the recipient gets the data.' : undefined}
      />
    </>
  )
}
