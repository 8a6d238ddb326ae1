import { type ReactNode, useId } from 'react'
import { RATE_WINDOW } from '../../../server/src/base/domain/limits.ts'
import { useServer } from '../api/queries.ts'
import type { OrganizationPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import { DISTANCE_UNITS, LANGUAGES, SUBSCRIPTIONS } from '../organizations/choices.ts'
import type { DraftFields } from '../ui/form/draft.ts'
import { CheckField, ComboField, NumberField, SelectField, TextField } from '../ui/form/Field.tsx'
import { More } from '../ui/form/More.tsx'
import './Settings.css'

type OrganizationFieldsProps = DraftFields<OrganizationPatch>

/** The settings of an organization, in groups. */
export function OrganizationFields(props: OrganizationFieldsProps) {
  return (
    <>
      <GeneralFields {...props} />
      <TrackingFields {...props} />
      <RetentionFields {...props} />
      <LimitFields {...props} />
    </>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand beside its fields
    <div className="settings-group" role="group" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <div className="stack">{children}</div>
    </div>
  )
}

/** A line about a setting, and more on demand. */
function explained(line: string, more: string): ReactNode {
  return (
    <>
      {line}
      <More>{more}</More>
    </>
  )
}

function GeneralFields({ draft, set }: OrganizationFieldsProps) {
  const server = useServer()
  return (
    <Group title={t('General')}>
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
            ? t('The API answers all requests.')
            : t('The API refuses positions with 403. Trackers keep sending.')
        }
      />
      <SelectField
        label={t('Distance unit')}
        name="distance_unit"
        options={DISTANCE_UNITS}
        value={draft.distance_unit ?? 'km'}
        onChange={(unit) => set('distance_unit', unit)}
        help={explained(
          t('The unit of speeds, odometers and mileage.'),
          t(
            'Every answer of the API has it. Programs that expect the other unit would misread them.',
          ),
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
      <ComboField
        label={t('Time zone of days')}
        name="time_zone"
        options={server.data?.time_zones ?? []}
        value={draft.time_zone ?? ''}
        onChange={(zone) => set('time_zone', zone)}
        help={t('Days of trips and reports begin at midnight there.')}
      />
    </Group>
  )
}

function TrackingFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <Group title={t('Tracking')}>
      <NumberField
        label={t('No signal after')}
        unit={t('hours')}
        name="signal_timeout_hours"
        value={draft.signal_timeout_hours ?? null}
        onChange={(hours) => set('signal_timeout_hours', hours ?? 0)}
        help={t('A vehicle whose last packet is older is shown with “No signal”.')}
      />
      <NumberField
        label={t('Longest gap within a trip')}
        unit={t('minutes')}
        name="maximum_gap"
        value={draft.maximum_gap ?? null}
        onChange={(minutes) => set('maximum_gap', minutes ?? 0)}
        help={explained(
          t('A longer time without positions ends a trip.'),
          t(
            'The time is then part of a stop, or a trip with “Signal lost” if the vehicle is elsewhere afterwards. A vehicle may have a setting of its own.',
          ),
        )}
      />
      <NumberField
        label={t('Maximum clock lead')}
        unit={t('minutes')}
        name="future_tolerance"
        value={draft.future_tolerance ?? null}
        onChange={(minutes) => set('future_tolerance', minutes ?? 0)}
        help={t('A position from further in the future is refused.')}
      />
      <NumberField
        label={t('Oldest position of the feed')}
        unit={t('days')}
        name="maximum_age"
        value={draft.maximum_age ?? null}
        onChange={(days) => set('maximum_age', days ?? 0)}
        help={explained(
          t('The feed refuses older positions.'),
          t('The clock of a device that sends them is wrong. Imports accept positions of any age.'),
        )}
      />
      <CheckField
        label={t('Create objects automatically')}
        name="create_objects"
        value={draft.create_objects ?? false}
        onChange={(create) => set('create_objects', create)}
        help={explained(
          t('A tracker with an unknown ident becomes a vehicle with its first packet.'),
          t('Otherwise the feed refuses its packets until you create or import the vehicle.'),
        )}
      />
      <CheckField
        label={t('Correct GPS week rollovers')}
        name="correct_rollover"
        value={draft.correct_rollover ?? false}
        onChange={(correct) => set('correct_rollover', correct)}
        help={explained(
          t('For old receivers whose dates are about 20 years behind.'),
          t(
            'An old receiver repeats its weeks every 1,024 weeks. Positions that are too old are moved by one or two of these periods, if that makes them plausible, and marked as corrected.',
          ),
        )}
      />
    </Group>
  )
}

function RetentionFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <Group title={t('Data and retention')}>
      <NumberField
        label={t('Positions are kept for')}
        unit={t('days')}
        name="retention_days"
        placeholder={t('Forever')}
        value={draft.retention_days ?? null}
        onChange={(days) => set('retention_days', days)}
        help={explained(
          t('Older positions are deleted. Empty: nothing is deleted.'),
          t(
            'Older positions are hidden at once and deleted one to two days later. After that, only backups have them.',
          ),
        )}
      />
      <CheckField
        label={t('Keys need a recipient and a purpose')}
        name="keys_need_purpose"
        value={draft.keys_need_purpose ?? false}
        onChange={(need) => set('keys_need_purpose', need)}
        help={explained(
          t('Every new API key says who gets the data, and what for.'),
          t(
            'Nobody can issue or rotate a key without them. Keys without them keep working, and are marked. Test keys need neither.',
          ),
        )}
      />
    </Group>
  )
}

function LimitFields({ draft, set }: OrganizationFieldsProps) {
  return (
    <Group title={t('API limits')}>
      <NumberField
        label={t('Daily quota per object')}
        name="daily_quota"
        placeholder={t('Unlimited')}
        value={draft.daily_quota ?? null}
        onChange={(quota) => set('daily_quota', quota)}
        help={explained(
          t('Reads of the positions of a vehicle from 00:00 UTC on. Empty: no limit.'),
          t(
            'The API then refuses reads of that vehicle with 400 (PUBLIC.400_005) until the next day.',
          ),
        )}
      />
      <NumberField
        label={t('Requests in {{seconds}} seconds', { seconds: RATE_WINDOW.seconds })}
        name="window_requests"
        value={draft.window_requests ?? null}
        onChange={(requests) => set('window_requests', requests ?? 0)}
        help={t('All keys share this number. The API refuses further requests with 429.')}
      />
      <NumberField
        label={t('Maximum objects')}
        name="max_objects"
        value={draft.max_objects ?? 0}
        onChange={(most) => set('max_objects', most ?? 0)}
        help={t('Nobody can add more, by hand, import or tracker. Existing ones stay.')}
      />
      <NumberField
        label={t('Maximum places')}
        name="max_places"
        value={draft.max_places ?? 0}
        onChange={(most) => set('max_places', most ?? 0)}
        help={t('Geofences, routes and sites together. Existing ones stay.')}
      />
      <NumberField
        label={t('Maximum vertices')}
        name="max_vertices"
        value={draft.max_vertices ?? 0}
        onChange={(most) => set('max_vertices', most ?? 0)}
        help={t('The corners of geofences, and the positions and waypoints of routes.')}
      />
    </Group>
  )
}
