import { useState } from 'react'
import { ADMIN_OBJECT_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import { documentedName } from '../../../server/src/base/domain/setting-rule.ts'
import type { FleetObject, ObjectPatch, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { SaveOrDiscard } from '../ui/dialog/SaveOrDiscard.tsx'
import { NumberField, optionsOf, SelectField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { SettingField } from '../ui/form/SettingField.tsx'
import { type DraftFields, useDraft } from '../ui/form/use-draft.ts'
import { PLAIN_OBJECT_FIELDS } from '../ui/plain-object-fields.ts'
import { RecomputeOffer } from './RecomputeOffer.tsx'
import { useSaveObject } from './use-save-object.ts'

const FIELDS = Object.keys(ADMIN_OBJECT_RULES).map(documentedName) as (keyof ObjectPatch &
  keyof FleetObject)[]

const COUNTERS = ['odometer_type', 'engine_hours_type'] as const

const SOURCES = optionsOf<FleetObject['odometer_type']>({
  system: t('Counted by Fleetgate'),
  sensor: t('Reported by the device'),
})

type VehicleCardProps = { organization: OrganizationSummary; object: FleetObject }

export function VehicleCard({ organization, object }: VehicleCardProps) {
  const { draft, patch, changed, set, reset } = useDraft<ObjectPatch>(
    Object.fromEntries(FIELDS.map((field) => [field, object[field]])),
  )
  const [offered, setOffered] = useState(false)
  const save = useSaveObject(organization.id, object.id, reset)
  return (
    <Card title={t('Vehicle data')}>
      <Form
        saving={save}
        isReady={changed && !missing(draft.name) && !missing(draft.ident)}
        rules={ADMIN_OBJECT_RULES}
        onSubmit={() => {
          const counters = COUNTERS.some((field) => field in patch)
          save.mutate(patch, { onSuccess: () => setOffered(counters) })
        }}
      >
        <VehicleFields unit={organization.distance_unit} draft={draft} set={set} />
        <SaveOrDiscard
          action={t('Save vehicle data')}
          saving={save}
          isChanged={changed}
          reset={reset}
        />
      </Form>
      {offered && (
        <RecomputeOffer
          organization={organization.id}
          object={object}
          onDone={() => setOffered(false)}
        />
      )}
    </Card>
  )
}

type VehicleFieldsProps = DraftFields<ObjectPatch> & { unit: OrganizationSummary['distance_unit'] }

function VehicleFields({ unit, draft, set }: VehicleFieldsProps) {
  return (
    <div className="columns">
      <TextField
        label={t('Name')}
        name="name"
        value={draft.name ?? ''}
        onChange={(name) => set('name', name)}
        error={missing(draft.name) ? t('Enter a name.') : undefined}
      />
      <TextField
        label={t('Ident')}
        name="ident"
        spellCheck={false}
        value={draft.ident ?? ''}
        onChange={(ident) => set('ident', ident)}
        help={t(
          'The ID that the tracker sends. Change it when the vehicle gets a different tracker. The history is kept.',
        )}
        error={
          missing(draft.ident)
            ? t('Enter the ident. It matches packets to this vehicle.')
            : undefined
        }
      />
      {PLAIN_OBJECT_FIELDS.map((field) => (
        <SettingField
          key={field.name}
          {...field}
          value={draft[field.name]}
          onChange={(value) => set(field.name, value)}
        />
      ))}
      <SelectField
        label={t('Odometer')}
        name="odometer_type"
        options={SOURCES}
        value={draft.odometer_type ?? 'system'}
        onChange={(type) => set('odometer_type', type)}
        help={t(
          'Fleetgate adds up the distances between positions while the vehicle moves, or uses the device’s reading.',
        )}
      />
      <SelectField
        label={t('Engine hours')}
        name="engine_hours_type"
        options={SOURCES}
        value={draft.engine_hours_type ?? 'system'}
        onChange={(type) => set('engine_hours_type', type)}
        help={t('Fleetgate counts the time with the ignition on, or uses the device’s reading.')}
      />
      {draft.odometer_type === 'sensor' && (
        <NumberField
          label={t('Odometer offset')}
          unit={unit}
          name="odometer_offset"
          value={draft.odometer_offset ?? 0}
          onChange={(offset) => set('odometer_offset', offset ?? 0)}
          help={t(
            'Added to the device’s reading if it differs from the dashboard. Can be negative.',
          )}
        />
      )}
    </div>
  )
}

function missing(text: string | undefined): boolean {
  return text?.trim() === ''
}
