import { RATE_WINDOW } from '../../../server/src/base/domain/limits.ts'
import { useServer } from '../api/queries.ts'
import type { OrganizationPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
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
        label={t('Name')}
        name="name"
        value={draft.name ?? ''}
        onChange={(name) => set('name', name)}
        error={draft.name?.trim() === '' ? t('Give it a name.') : undefined}
      />
      <SelectField
        label={t('Subscription')}
        name="subscription"
        options={SUBSCRIPTIONS}
        value={draft.subscription ?? 'active'}
        onChange={(subscription) => set('subscription', subscription)}
        help={
          draft.subscription === 'active'
            ? t('Everything may be read.')
            : t(
                'Positions, now and in the past, are refused with 403. Objects and places can still be read, and trackers keep sending.',
              )
        }
      />
      <SelectField
        label={t('Distance unit')}
        name="distance_unit"
        options={DISTANCE_UNITS}
        value={draft.distance_unit ?? 'km'}
        onChange={(unit) => set('distance_unit', unit)}
        help={t(
          'The unit of speeds, odometers and mileage in every answer of the API. Programs that expect the other unit would misread them.',
        )}
      />
      <SelectField
        label={t('Language of messages')}
        name="language"
        options={LANGUAGES}
        value={draft.language ?? 'en'}
        onChange={(language) => set('language', language)}
        help={t('The language of the API’s error messages, unless a request asks for another.')}
      />
    </>
  )
}

function LimitFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <>
      <NumberField
        label={t('Daily quota per object')}
        name="daily_quota"
        placeholder={t('Unlimited')}
        value={draft.daily_quota ?? null}
        onChange={(quota) => set('daily_quota', quota)}
        help={t(
          'The reads of positions that each object has from 00:00 UTC on. The API then refuses reads of that object with 400 (PUBLIC.400_005) until the next day. Empty: no limit.',
        )}
      />
      <NumberField
        label={t('Requests in {{seconds}} seconds', { seconds: RATE_WINDOW.seconds })}
        name="window_requests"
        value={draft.window_requests ?? null}
        onChange={(requests) => set('window_requests', requests ?? 0)}
        help={t(
          'All keys of the organization share this number. The API refuses further requests with 429.',
        )}
      />
      <NumberField
        label={t('Positions are kept for')}
        unit={t('days')}
        name="retention_days"
        placeholder={t('Forever')}
        value={draft.retention_days ?? null}
        onChange={(days) => set('retention_days', days)}
        help={t(
          'Fleetgate hides older positions at once and deletes them one to two days later. Then only a backup has them. Empty: nothing is deleted.',
        )}
      />
      <NumberField
        label={t('Maximum objects')}
        name="max_objects"
        value={draft.max_objects ?? 0}
        onChange={(most) => set('max_objects', most ?? 0)}
        help={t(
          'Nobody can add more objects: by hand, by an import or by a tracker. Existing objects stay.',
        )}
      />
      <NumberField
        label={t('Maximum places')}
        name="max_places"
        value={draft.max_places ?? 0}
        onChange={(most) => set('max_places', most ?? 0)}
        help={t(
          'Geofences, routes and sites together. Nobody can add more, by hand or by an import. Existing places stay.',
        )}
      />
      <NumberField
        label={t('Maximum vertices')}
        name="max_vertices"
        value={draft.max_vertices ?? 0}
        onChange={(most) => set('max_vertices', most ?? 0)}
        help={t(
          'The corners of all geofences, and the positions and waypoints of all routes. Nobody can add more, by hand or by an import. Existing places stay.',
        )}
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
        label={t('No signal after')}
        unit={t('hours')}
        name="signal_timeout_hours"
        value={draft.signal_timeout_hours ?? null}
        onChange={(hours) => set('signal_timeout_hours', hours ?? 0)}
        help={t(
          'An object whose last packet is older is shown with “No signal” in lists and on the map.',
        )}
      />
      <NumberField
        label={t('Silence after')}
        unit={t('minutes')}
        name="maximum_gap"
        value={draft.maximum_gap ?? null}
        onChange={(minutes) => set('maximum_gap', minutes ?? 0)}
        help={t(
          'A longer time between two positions of an object is not driving: it is part of a stop, or a silent trip if the object is elsewhere afterwards. An object may have a setting of its own.',
        )}
      />
      <NumberField
        label={t('Maximum clock lead')}
        unit={t('minutes')}
        name="future_tolerance"
        value={draft.future_tolerance ?? null}
        onChange={(minutes) => set('future_tolerance', minutes ?? 0)}
        help={t(
          'A position whose time is further ahead is refused: it would hide every later one.',
        )}
      />
      <NumberField
        label={t('Oldest position of the feed')}
        unit={t('days')}
        name="maximum_age"
        value={draft.maximum_age ?? null}
        onChange={(days) => set('maximum_age', days ?? 0)}
        help={t(
          'The clock of a device that sends an older position is wrong, and the feed refuses it. Imports accept positions of any age.',
        )}
      />
      <ComboField
        label={t('Time zone of days')}
        name="time_zone"
        options={server.data?.time_zones ?? []}
        value={draft.time_zone ?? ''}
        onChange={(zone) => set('time_zone', zone)}
        help={t(
          'The time zone of the organization’s days, unless a request names another. Type the beginning of a city.',
        )}
      />
    </>
  )
}

function SwitchFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <>
      <CheckField
        label={t('Create objects automatically')}
        name="create_objects"
        value={draft.create_objects ?? false}
        onChange={(create) => set('create_objects', create)}
        help={t(
          'A tracker with an unknown ident becomes an object with its first packet. Otherwise the feed refuses its packets until you create or import the object.',
        )}
      />
      <CheckField
        label={t('Correct GPS week rollovers')}
        name="correct_rollover"
        value={draft.correct_rollover ?? false}
        onChange={(correct) => set('correct_rollover', correct)}
        help={t(
          'An old receiver repeats its weeks every 1,024 weeks. Positions that are too old are moved by one or two of these periods, if that makes them plausible, and marked as corrected.',
        )}
      />
      <CheckField
        label={t('Keys need a recipient and a purpose')}
        name="keys_need_purpose"
        value={draft.keys_need_purpose ?? false}
        onChange={(need) => set('keys_need_purpose', need)}
        help={t(
          'Nobody can issue or rotate an API key without saying who gets the data, and what for. Keys without them keep working, and are marked. Test keys need neither.',
        )}
      />
    </>
  )
}
