import { useState } from 'react'
import { ADMIN_OBJECT_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import type { FleetObject, ObjectPatch, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { LowerRetention, losesPositions } from '../settings/LowerRetention.tsx'
import { Card } from '../ui/Card.tsx'
import { SaveOrDiscard } from '../ui/dialog/SaveOrDiscard.tsx'
import { NumberField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useDraft } from '../ui/form/use-draft.ts'
import { useSaveObject } from './use-save-object.ts'

type RetentionCardProps = { organization: OrganizationSummary; object: FleetObject }

/** How long the positions of a vehicle are kept, if not as long as those of the others. */
export function RetentionCard({ organization, object }: RetentionCardProps) {
  const { retention_days } = object
  const { draft, patch, changed, set, reset } = useDraft<ObjectPatch>({ retention_days })
  const [confirming, setConfirming] = useState(false)
  const save = useSaveObject(organization.id, object.id, reset)
  const days = draft.retention_days ?? null
  const submit = () => {
    if (losesPositions(retention_days ?? organization.retention_days, days)) setConfirming(true)
    else save.mutate(patch)
  }
  return (
    <Card title={t('Data and retention')}>
      <Form saving={save} isReady={changed} rules={ADMIN_OBJECT_RULES} onSubmit={submit}>
        <NumberField
          label={t('Keep positions for')}
          unit={t('days')}
          name="retention_days"
          placeholder={organization.retention_days?.toString() ?? t('Forever')}
          value={days}
          onChange={(value) => set('retention_days', value)}
          help={t('Not longer than the organization keeps them. Leave empty to keep them as long.')}
        />
        <SaveOrDiscard
          action={t('Save settings')}
          saving={save}
          isChanged={changed}
          reset={reset}
        />
      </Form>
      {confirming && (
        <LowerRetention
          name={object.name}
          days={days ?? 0}
          onClose={() => setConfirming(false)}
          onConfirm={() => save.mutateAsync(patch)}
        />
      )}
    </Card>
  )
}
