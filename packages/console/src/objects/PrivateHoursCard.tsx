import { ADMIN_OBJECT_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import { useServer } from '../api/queries.ts'

import type { FleetObject, ObjectPatch, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { SaveOrDiscard } from '../ui/dialog/SaveOrDiscard.tsx'
import { ComboField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useDraft } from '../ui/form/use-draft.ts'
import { useSaveObject } from './use-save-object.ts'

type PrivateHoursCardProps = { organization: OrganizationSummary; object: FleetObject }

/** The times whose positions the server does not store. */
export function PrivateHoursCard({ organization, object }: PrivateHoursCardProps) {
  const server = useServer()
  const { private_hours, private_ranges, private_time_zone } = object
  const { draft, patch, changed, set, reset } = useDraft<ObjectPatch>({
    ...{ private_hours, private_ranges, private_time_zone },
  })
  const save = useSaveObject(organization.id, object.id, reset)
  const orNull = (text: string) => (text === '' ? null : text)
  const plain = { autoComplete: 'off', spellCheck: false } as const
  return (
    <Card title={t('Private hours')}>
      <Form
        saving={save}
        isReady={changed}
        rules={ADMIN_OBJECT_RULES}
        onSubmit={() => save.mutate(patch)}
      >
        <div className="columns">
          <TextField
            {...plain}
            label={t('Weekly plan')}
            name="private_hours"
            value={draft.private_hours ?? ''}
            onChange={(text) => set('private_hours', orNull(text))}
            help={t(
              'Such as Mo-Fr 18:00-08:00; Sa,Su. The server does not store positions in these times. A change applies to positions that arrive from now on.',
            )}
          />
          <TextField
            {...plain}
            label={t('Days and ranges')}
            name="private_ranges"
            value={draft.private_ranges ?? ''}
            onChange={(text) => set('private_ranges', orNull(text))}
            help={t('Such as 2026-12-24, 2026-12-29T12:00/2027-01-04T08:00.')}
          />
          <ComboField
            label={t('Time zone')}
            name="private_time_zone"
            options={server.data?.time_zones ?? []}
            value={draft.private_time_zone ?? ''}
            onChange={(zone) => set('private_time_zone', orNull(zone))}
            help={t('Leave empty for the organization’s time zone.')}
          />
        </div>
        <SaveOrDiscard
          action={t('Save private hours')}
          saving={save}
          isChanged={changed}
          reset={reset}
        />
      </Form>
    </Card>
  )
}
