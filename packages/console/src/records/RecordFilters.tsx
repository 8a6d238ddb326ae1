import { usePlaces } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { NumberField, TextField } from '../ui/form/Field.tsx'
import { PickMany } from '../ui/form/PickMany.tsx'
import { PickObjects } from '../ui/form/PickObjects.tsx'
import { type Day, isDay } from '../ui/time/days.ts'
import type { Filters, RecordKind } from './filters.ts'
import './RecordsPage.css'

type ChangeAddress = (parts: Record<string, string | null>) => void

type RecordFiltersProps = {
  organization: OrganizationSummary
  kind: RecordKind
  filters: Filters
  today: Day
  onChange: ChangeAddress
}

export function RecordFilters({
  organization,
  kind,
  filters,
  today,
  onChange,
}: RecordFiltersProps) {
  const { objects, minutes } = filters
  return (
    <fieldset className="record-filters">
      <legend className="visually-hidden">{t('Filters')}</legend>
      <RangeFields range={filters} today={today} onChange={onChange} />
      <PickObjects
        organization={organization}
        chosen={objects}
        onChange={(ids) => onChange({ objects: ids.join() })}
      />
      {kind === 'visits' && (
        <PickPlaces organization={organization} filters={filters} onChange={onChange} />
      )}
      {kind !== 'trips' && (
        <NumberField
          label={t('Minimum duration')}
          unit={t('minutes')}
          value={minutes}
          onChange={(value) => onChange({ minutes: value === null ? null : String(value) })}
        />
      )}
    </fieldset>
  )
}

type RangeFieldsProps = Pick<RecordFiltersProps, 'today' | 'onChange'> & {
  range: Pick<Filters, 'from' | 'to'>
}

/** The first and the last day. A day on the wrong side of the other one takes that along. */
export function RangeFields({ range: { from, to }, today, onChange }: RangeFieldsProps) {
  return (
    <>
      <TextField
        label={t('From')}
        type="date"
        max={today}
        value={from}
        onChange={(day) => isDay(day) && onChange({ from: day, to: day > to ? day : to })}
      />
      <TextField
        label={t('To')}
        type="date"
        max={today}
        value={to}
        onChange={(day) => isDay(day) && onChange({ from: day < from ? day : from, to: day })}
      />
    </>
  )
}

function PickPlaces({
  organization,
  filters,
  onChange,
}: Omit<RecordFiltersProps, 'kind' | 'today'>) {
  const geofences = usePlaces(organization.id, 'geofences').data?.items ?? []
  const sites = usePlaces(organization.id, 'sites').data?.items ?? []
  const idsOf = (keys: string[], kind: string) =>
    keys.flatMap((key) => (key.startsWith(kind) ? [key.slice(kind.length + 1)] : [])).join()
  return (
    <PickMany
      label={t('Places')}
      placeholder={t('All places')}
      choices={[
        ...geofences.map(({ id, name }) => ({ key: `geofence ${id}`, name, detail: 'geofence' })),
        ...sites.map(({ id, name }) => ({ key: `site ${id}`, name, detail: 'site' })),
      ]}
      chosen={[
        ...filters.geofences.map((id) => `geofence ${id}`),
        ...filters.sites.map((id) => `site ${id}`),
      ]}
      onChange={(keys) =>
        onChange({ geofences: idsOf(keys, 'geofence'), sites: idsOf(keys, 'site') })
      }
    />
  )
}
