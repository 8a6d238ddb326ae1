import { useState } from 'react'
import { ORGANIZATION_RULES, OWN_SETTINGS } from '../../../server/src/base/domain/organization.ts'
import { documentedName } from '../../../server/src/base/domain/setting-rule.ts'
import { change } from '../api/client.ts'
import { useRights } from '../api/rights.ts'
import type { Organization, OrganizationPatch, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { SaveOrDiscard } from '../ui/dialog/SaveOrDiscard.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useDraft } from '../ui/form/use-draft.ts'
import { useSaving } from '../ui/form/use-saving.ts'
import { LowerRetention, losesPositions } from './LowerRetention.tsx'
import { OrganizationFields } from './OrganizationFields.tsx'

const FIELDS = Object.keys(ORGANIZATION_RULES).map(documentedName) as (keyof OrganizationPatch)[]

/** The settings that limit an organization, which its administrators only read. */
const OWN = OWN_SETTINGS.map(documentedName)
const LIMITS = FIELDS.filter((field) => !OWN.includes(field))

export function OrganizationSettings({ organization }: { organization: OrganizationSummary }) {
  const { changes: operates } = useRights(null)
  const { draft, patch, changed, set, reset } = useDraft<OrganizationPatch>(
    settingsOf(organization),
  )
  const [confirming, setConfirming] = useState(false)
  const save = useSaving({
    request: (body: OrganizationPatch) =>
      change<Organization>('PATCH', `/organizations/${organization.id}`, body),
    refreshes: [['organization', organization.id], ['organizations'], ['audit']],
    done: t('The settings were saved.'),
    onSaved: reset,
  })
  const nameless = draft.name?.trim() === ''
  const submit = () => {
    if (losesPositions(organization.retention_days, patch.retention_days)) setConfirming(true)
    else save.mutate(patch)
  }
  return (
    <Card page title={t('Settings')} lead={t('Changes apply to the next request.')}>
      <Form
        saving={save}
        isReady={changed && !nameless}
        rules={ORGANIZATION_RULES}
        locked={operates ? [] : LIMITS}
        onSubmit={submit}
      >
        <OrganizationFields draft={draft} set={set} />
        <div className="save-bar">
          <SaveOrDiscard
            action={t('Save settings')}
            saving={save}
            isChanged={changed}
            reset={reset}
          />
        </div>
      </Form>
      {confirming && (
        <LowerRetention
          name={organization.name}
          days={patch.retention_days ?? 0}
          onClose={() => setConfirming(false)}
          onConfirm={() => save.mutateAsync(patch)}
        />
      )}
    </Card>
  )
}

function settingsOf(organization: OrganizationSummary): OrganizationPatch {
  return Object.fromEntries(FIELDS.map((field) => [field, organization[field]]))
}
