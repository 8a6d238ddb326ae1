import { OBJECT_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import { TRACKER_RULES } from '../../../server/src/base/domain/tracker-settings.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { SaveOrDiscard } from '../ui/dialog/SaveOrDiscard.tsx'
import { useDraft } from '../ui/form/draft.ts'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { momentOf, momentText } from '../ui/time/moments.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { useSaveObject } from './saving.ts'

const LEAD = t(
  'For a tracker that was taken out of another vehicle. Its positions since then move here, and late packets go to the vehicle that had it at their time.',
)

const RULES = { ...TRACKER_RULES, ident: OBJECT_RULES.ident }
const EMPTY = { ident: '', since: '', former_ident: '' }

type TrackerCardProps = { organization: OrganizationSummary; object: FleetObject }

/** Puts the tracker of another vehicle into this one. */
export function TrackerCard({ organization, object }: TrackerCardProps) {
  const { draft, patch, changed, set, reset } = useDraft(EMPTY)
  const [utc] = useUtc()
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
            help={t('Its ident, which the other vehicle has now.')}
          />
          <TextField
            label={t('Moved at')}
            name="since"
            type="datetime-local"
            value={draft.since === '' ? '' : momentText(draft.since, utc)}
            onChange={(text) => set('since', momentOf(text, 'first', utc) ?? '')}
            help={utc ? t('The time in UTC.') : t('Your local time.')}
          />
          <TextField
            label={t('New id of the other vehicle')}
            name="former_ident"
            spellCheck={false}
            value={draft.former_ident}
            onChange={(ident) => set('former_ident', ident.trim())}
            help={t('Its new ident. Empty: no-tracker- and its number.')}
          />
        </div>
        <SaveOrDiscard
          action={t('Move the tracker')}
          saving={save}
          isChanged={changed && isComplete}
          reset={reset}
        />
      </Form>
    </Card>
  )
}
