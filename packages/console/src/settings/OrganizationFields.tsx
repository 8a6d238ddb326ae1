import { type ReactNode, useId } from 'react'
import { RATE_WINDOW } from '../../../server/src/base/domain/limits.ts'
import { useServer } from '../api/queries.ts'
import type { OrganizationPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import { DISTANCE_UNITS, LANGUAGES, SUBSCRIPTIONS } from '../organizations/choices.ts'
import { CheckField, ComboField, NumberField, SelectField, TextField } from '../ui/form/Field.tsx'
import { More } from '../ui/form/More.tsx'
import type { DraftFields } from '../ui/form/use-draft.ts'
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
      <h2 id={id}>{title}</h2>
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
        error={draft.name?.trim() === '' ? t('Enter a name.') : undefined}
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
            : t(
                'Requests for positions, records and reports get 403. Packets from trackers are still accepted.',
              )
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
            'All API responses use this unit. Programs that expect the other unit would misread the values.',
          ),
        )}
      />
      <SelectField
        label={t('Error message language')}
        name="language"
        options={LANGUAGES}
        value={draft.language ?? 'en'}
        onChange={(language) => set('language', language)}
        help={t('For the API’s error messages, unless a request asks for another language.')}
      />
      <ComboField
        label={t('Time zone')}
        name="time_zone"
        options={server.data?.time_zones ?? []}
        value={draft.time_zone ?? ''}
        onChange={(zone) => set('time_zone', zone)}
        help={t('In trips and reports, days start at midnight in this time zone.')}
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
        help={t('Vehicles whose last packet is older show “No signal”.')}
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
            'The gap becomes part of a stop, or a trip marked “Signal lost” if the vehicle is somewhere else afterwards. Vehicles can have their own setting.',
          ),
        )}
      />
      <NumberField
        label={t('Maximum clock lead')}
        unit={t('minutes')}
        name="future_tolerance"
        value={draft.future_tolerance ?? null}
        onChange={(minutes) => set('future_tolerance', minutes ?? 0)}
        help={t('Positions further in the future are rejected.')}
      />
      <NumberField
        label={t('Maximum age on arrival')}
        unit={t('days')}
        name="maximum_age"
        value={draft.maximum_age ?? null}
        onChange={(days) => set('maximum_age', days ?? 0)}
        help={explained(
          t('Older positions are rejected.'),
          t(
            'A device that sends older positions has a wrong clock. Imports accept positions of any age.',
          ),
        )}
      />
      <CheckField
        label={t('Create objects automatically')}
        name="create_objects"
        value={draft.create_objects ?? false}
        onChange={(create) => set('create_objects', create)}
        help={explained(
          t('The first packet with an unknown ident creates an object.'),
          t(
            'If off, packets with an unknown ident are rejected until you create or import the object.',
          ),
        )}
      />
      <CheckField
        label={t('Correct GPS week rollovers')}
        name="correct_rollover"
        value={draft.correct_rollover ?? false}
        onChange={(correct) => set('correct_rollover', correct)}
        help={explained(
          t('For old receivers that report dates about 20 years in the past.'),
          t(
            'Old receivers restart their week count every 1,024 weeks. Positions that are too old are moved forward by one or two of these periods if that makes them plausible, and are marked as corrected.',
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
        label={t('Keep positions for')}
        unit={t('days')}
        name="retention_days"
        placeholder={t('Forever')}
        value={draft.retention_days ?? null}
        onChange={(days) => set('retention_days', days)}
        help={explained(
          t('Older positions are deleted. Leave empty to keep all positions.'),
          t(
            'Older positions are hidden immediately and deleted one to two days later. After that, they exist only in backups.',
          ),
        )}
      />
      <NumberField
        label={t('Keep the data access log for')}
        unit={t('days')}
        name="disclosure_days"
        placeholder={t('Forever')}
        value={draft.disclosure_days ?? null}
        onChange={(days) => set('disclosure_days', days)}
        help={t('30 to 3,650 days. Leave empty to keep forever who read which vehicle’s data.')}
      />
      <CheckField
        label={t('Require a recipient and a purpose for API keys')}
        name="keys_need_purpose"
        value={draft.keys_need_purpose ?? false}
        onChange={(need) => set('keys_need_purpose', need)}
        help={explained(
          t('Every new API key states who gets the data and why.'),
          t(
            'Keys cannot be issued or rotated without both. Existing keys without them keep working and are marked. Test keys need neither.',
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
          t('Maximum position reads per object and UTC day. Leave empty for no limit.'),
          t('Further reads of that object get 400 (PUBLIC.400_005) until the next day.'),
        )}
      />
      <NumberField
        label={t('Requests per {{seconds}} seconds', { seconds: RATE_WINDOW.seconds })}
        name="window_requests"
        value={draft.window_requests ?? null}
        onChange={(requests) => set('window_requests', requests ?? 0)}
        help={t('Shared by all keys. Further requests get 429.')}
      />
      <NumberField
        label={t('Maximum objects')}
        name="max_objects"
        value={draft.max_objects ?? 0}
        onChange={(most) => set('max_objects', most ?? 0)}
        help={t(
          'No more can be added by hand, by import or by a tracker. Existing objects are kept.',
        )}
      />
      <NumberField
        label={t('Maximum places')}
        name="max_places"
        value={draft.max_places ?? 0}
        onChange={(most) => set('max_places', most ?? 0)}
        help={t('Geofences, routes and sites combined. Existing places are kept.')}
      />
      <NumberField
        label={t('Maximum vertices')}
        name="max_vertices"
        value={draft.max_vertices ?? 0}
        onChange={(most) => set('max_vertices', most ?? 0)}
        help={t('Geofence corners, and route points and waypoints.')}
      />
    </Group>
  )
}
