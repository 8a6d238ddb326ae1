import { useObjects, usePlaces } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { NumberField, TextField } from '../ui/Field.tsx'
import { PickMany } from '../ui/PickMany.tsx'
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
      <legend className="visually-hidden">Filters</legend>
      <RangeFields filters={filters} today={today} onChange={onChange} />
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
          label="Lasting at least"
          unit="minutes"
          value={minutes}
          onChange={(value) => onChange({ minutes: value === null ? null : String(value) })}
        />
      )}
    </fieldset>
  )
}

/** The first and the last day. A day on the wrong side of the other one takes that along. */
export function RangeFields(props: Pick<RecordFiltersProps, 'filters' | 'today' | 'onChange'>) {
  const { filters, today, onChange } = props
  const { from, to } = filters
  return (
    <>
      <TextField
        label="From"
        type="date"
        max={today}
        value={from}
        onChange={(day) => isDay(day) && onChange({ from: day, to: day > to ? day : to })}
      />
      <TextField
        label="To"
        type="date"
        max={today}
        value={to}
        onChange={(day) => isDay(day) && onChange({ from: day < from ? day : from, to: day })}
      />
    </>
  )
}

type PickObjectsProps = {
  organization: OrganizationSummary
  chosen: readonly number[]
  onChange: (ids: string[]) => void
}

function PickObjects({ organization, chosen, onChange }: PickObjectsProps) {
  const objects = useObjects(organization.id).data?.items ?? []
  return (
    <PickMany
      label="Objects"
      placeholder="All objects"
      choices={objects.map(({ id, name, ident }) => ({ key: `${id}`, name, detail: ident }))}
      chosen={chosen.map(String)}
      onChange={onChange}
    />
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
      label="Places"
      placeholder="All geofences and sites"
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
