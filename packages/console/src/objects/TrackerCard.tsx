import { OBJECT_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import { TRACKER_RULES } from '../../../server/src/base/domain/tracker-settings.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { SaveOrDiscard } from '../ui/dialog/SaveOrDiscard.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useDraft } from '../ui/form/use-draft.ts'
import { MomentField } from '../ui/time/MomentField.tsx'
import { useSaveObject } from './use-save-object.ts'

const LEAD = t(
  'Use this after moving a tracker from another vehicle to this one. Positions since the move are reassigned to this vehicle. Late packets go to the vehicle that had the tracker at that time.',
)

const RULES = { ...TRACKER_RULES, ident: OBJECT_RULES.ident }
const EMPTY = { ident: '', since: '', former_ident: '' }

type TrackerCardProps = { organization: OrganizationSummary; object: FleetObject }

/** Puts the tracker of another vehicle into this one. */
export function TrackerCard({ organization, object }: TrackerCardProps) {
  const { draft, patch, changed, set, reset } = useDraft(EMPTY)
  const save = useSaveObject(organization.id, object.id, reset)
  const isComplete = draft.ident !== '' && draft.since !== ''
  return (
    <Card title={t('Tracker from another vehicle')} lead={LEAD}>
      <Form saving={save} isReady={isComplete} rules={RULES} onSubmit={() => save.mutate(patch)}>
        <div className="columns">
          <TextField
            label={t('Tracker')}
            name="ident"
            spellCheck={false}
            value={draft.ident}
            onChange={(ident) => set('ident', ident.trim())}
            help={t('The ident that the other vehicle has now.')}
          />
          <MomentField
            label={t('Moved at')}
            name="since"
            bound="first"
            value={draft.since || null}
            onChange={(since) => set('since', since ?? '')}
          />
          <TextField
            label={t('New ident of the other vehicle')}
            name="former_ident"
            spellCheck={false}
            value={draft.former_ident}
            onChange={(ident) => set('former_ident', ident.trim())}
            help={t('Leave empty for “no-tracker-” followed by the API ID of that vehicle.')}
          />
        </div>
        <SaveOrDiscard
          action={t('Move tracker')}
          saving={save}
          isChanged={changed && isComplete}
          reset={reset}
        />
      </Form>
    </Card>
  )
}
