import { RATE_WINDOW } from '../../../server/src/base/domain/limits.ts'
import { useServer } from '../api/queries.ts'
import type { OrganizationPatch } from '../api/types.ts'
import { DISTANCE_UNITS, LANGUAGES, SUBSCRIPTIONS } from '../organizations/choices.ts'
import type { DraftFields } from '../ui/form/draft.ts'
import { CheckField, ComboField, NumberField, SelectField, TextField } from '../ui/form/Field.tsx'

type OrganizationFieldsProps = DraftFields<OrganizationPatch>

/** The fields of all settings of an organization. */
export function OrganizationFields(props: OrganizationFieldsProps) {
  return (
    <>
      <div className="columns">
        <AnswerFields {...props} />
        <LimitFields {...props} />
        <TimeFields {...props} />
      </div>
      <SwitchFields {...props} />
    </>
  )
}

/** The name, and how the API answers. */
function AnswerFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={draft.name ?? ''}
        onChange={(name) => set('name', name)}
        error={draft.name?.trim() === '' ? 'Give it a name.' : undefined}
      />
      <SelectField
        label="Subscription"
        name="subscription"
        options={SUBSCRIPTIONS}
        value={draft.subscription ?? 'active'}
        onChange={(subscription) => set('subscription', subscription)}
        help={
          draft.subscription === 'active'
            ? 'Everything may be read.'
            : 'Positions, now and in the past, are refused with 403. Objects and places can still be read, and trackers keep sending.'
        }
      />
      <SelectField
        label="Distance unit"
        name="distance_unit"
        options={DISTANCE_UNITS}
        value={draft.distance_unit ?? 'km'}
        onChange={(unit) => set('distance_unit', unit)}
        help="The unit of speeds, odometers and mileage in every answer of the API. Programs that expect the other unit would misread them."
      />
      <SelectField
        label="Language of messages"
        name="language"
        options={LANGUAGES}
        value={draft.language ?? 'en'}
        onChange={(language) => set('language', language)}
        help="The language of the API’s error messages, unless a request asks for another."
      />
    </>
  )
}

function LimitFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <>
      <NumberField
        label="Daily quota per object"
        name="daily_quota"
        placeholder="Unlimited"
        value={draft.daily_quota ?? null}
        onChange={(quota) => set('daily_quota', quota)}
        help="The reads of positions that each object has from 00:00 UTC on. The API then refuses reads of that object with 400 (PUBLIC.400_005) until the next day. Empty: no limit."
      />
      <NumberField
        label={`Requests in ${RATE_WINDOW.seconds} seconds`}
        name="window_requests"
        value={draft.window_requests ?? null}
        onChange={(requests) => set('window_requests', requests ?? 0)}
        help="All keys of the organization share this number. The API refuses further requests with 429."
      />
      <NumberField
        label="Positions are kept for"
        unit="days"
        name="retention_days"
        placeholder="Forever"
        value={draft.retention_days ?? null}
        onChange={(days) => set('retention_days', days)}
        help="Fleetgate hides older positions at once and deletes them one to two days later. Then only a backup has them. Empty: nothing is deleted."
      />
      <NumberField
        label="Maximum objects"
        name="max_objects"
        value={draft.max_objects ?? 0}
        onChange={(most) => set('max_objects', most ?? 0)}
        help="Nobody can add more objects: by hand, by an import or by a tracker. Existing objects stay."
      />
      <NumberField
        label="Maximum places"
        name="max_places"
        value={draft.max_places ?? 0}
        onChange={(most) => set('max_places', most ?? 0)}
        help="Geofences, routes and sites together. Nobody can add more, by hand or by an import. Existing places stay."
      />
      <NumberField
        label="Maximum vertices"
        name="max_vertices"
        value={draft.max_vertices ?? 0}
        onChange={(most) => set('max_vertices', most ?? 0)}
        help="The corners of all geofences, and the positions and waypoints of all routes. Nobody can add more, by hand or by an import. Existing places stay."
      />
    </>
  )
}

/** The times that positions are judged by, and the time zone of days. */
function TimeFields({ draft, set }: OrganizationFieldsProps) {
  const server = useServer()
  return (
    <>
      <NumberField
        label="No signal after"
        unit="hours"
        name="signal_timeout_hours"
        value={draft.signal_timeout_hours ?? null}
        onChange={(hours) => set('signal_timeout_hours', hours ?? 0)}
        help="An object whose last packet is older is shown with “No signal” in lists and on the map."
      />
      <NumberField
        label="Silence after"
        unit="minutes"
        name="maximum_gap"
        value={draft.maximum_gap ?? null}
        onChange={(minutes) => set('maximum_gap', minutes ?? 0)}
        help="A longer time between two positions of an object is not driving: it is part of a stop, or a silent trip if the object is elsewhere afterwards. An object may have a setting of its own."
      />
      <NumberField
        label="Maximum clock lead"
        unit="minutes"
        name="future_tolerance"
        value={draft.future_tolerance ?? null}
        onChange={(minutes) => set('future_tolerance', minutes ?? 0)}
        help="A position whose time is further ahead is refused: it would hide every later one."
      />
      <NumberField
        label="Oldest position of the feed"
        unit="days"
        name="maximum_age"
        value={draft.maximum_age ?? null}
        onChange={(days) => set('maximum_age', days ?? 0)}
        help="The clock of a device that sends an older position is wrong, and the feed refuses it. Imports accept positions of any age."
      />
      <ComboField
        label="Time zone of days"
        name="time_zone"
        options={server.data?.time_zones ?? []}
        value={draft.time_zone ?? ''}
        onChange={(zone) => set('time_zone', zone)}
        help="The time zone of the organization’s days, unless a request names another. Type the beginning of a city."
      />
    </>
  )
}

function SwitchFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <>
      <CheckField
        label="Create objects automatically"
        name="create_objects"
        value={draft.create_objects ?? false}
        onChange={(create) => set('create_objects', create)}
        help="A tracker with an unknown ident becomes an object with its first packet. Otherwise the feed refuses its packets until you create or import the object."
      />
      <CheckField
        label="Correct GPS week rollovers"
        name="correct_rollover"
        value={draft.correct_rollover ?? false}
        onChange={(correct) => set('correct_rollover', correct)}
        help="An old receiver repeats its weeks every 1,024 weeks. Positions that are too old are moved by one or two of these periods, if that makes them plausible, and marked as corrected."
      />
      <CheckField
        label="Keys need a recipient and a purpose"
        name="keys_need_purpose"
        value={draft.keys_need_purpose ?? false}
        onChange={(need) => set('keys_need_purpose', need)}
        help="Nobody can issue or rotate an API key without saying who gets the data, and what for. Keys without them keep working, and are marked. Test keys need neither."
      />
    </>
  )
}
