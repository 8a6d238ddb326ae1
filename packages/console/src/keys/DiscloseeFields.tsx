import { useCredentials } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { ComboField, TextField } from '../ui/form/Field.tsx'
import { type DiscloseeDraft, discloseeIn } from './disclosee.ts'

type DiscloseeFieldsProps = {
  organization: OrganizationSummary
  draft: DiscloseeDraft
  onChange: (draft: DiscloseeDraft) => void
  /** The setting of the organization: a missing text is a fault. */
  isNeeded: boolean
}

/** For whom a key is, and why. */
export function DiscloseeFields(props: DiscloseeFieldsProps) {
  const { organization, draft, onChange, isNeeded } = props
  const keys = useCredentials(organization.id, 'keys').data?.items ?? []
  const known = [...new Set(keys.flatMap(({ recipient }) => recipient ?? []))].sort()
  const { recipient, purpose } = discloseeIn(draft)
  const isMissing = (text: string | null) => isNeeded && text === null
  return (
    <>
      <ComboField
        label={t('Recipient')}
        name="recipient"
        options={known}
        placeholder={t('Insurer Ltd')}
        value={draft.recipient}
        onChange={(text) => onChange({ ...draft, recipient: text })}
        help={
          isNeeded
            ? t('The person or company that gets the data. This organization requires it.')
            : t('The person or company that gets the data. Optional.')
        }
        fault={isMissing(recipient) && t('Enter the recipient.')}
      />
      <TextField
        label={t('Purpose')}
        name="purpose"
        autoComplete="off"
        placeholder={t('Car fleet claims')}
        value={draft.purpose}
        onChange={(text) => onChange({ ...draft, purpose: text })}
        help={
          isNeeded
            ? t('Why the recipient gets the data. This organization requires it.')
            : t('Why the recipient gets the data. Optional.')
        }
        fault={isMissing(purpose) && t('Enter the purpose.')}
      />
    </>
  )
}
