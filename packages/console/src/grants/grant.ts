import { useMemo } from 'react'
import { useObjects } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { listed, timeOf } from '../ui/format.ts'

/** Vehicles, and the part of their data that somebody sees. A null field limits nothing. */
export type Grant = {
  objects: number[] | null
  from: string | null
  until: string | null
  attributes: string[] | null
}

export const ALL: Grant = { objects: null, from: null, until: null, attributes: null }

/** A new grant. It begins with the choice of vehicles. */
export const NONE_CHOSEN: Grant = { ...ALL, objects: [] }

export function isUnlimited(grant: Grant): boolean {
  return Object.values(grant).every((limit) => limit === null)
}

export type GrantFaults = { objects?: string; until?: string; attributes?: string }

/** The choices that are missing or contradict each other. */
export function grantFaults({ objects, from, until, attributes }: Grant): GrantFaults {
  const missing = t('Choose at least one.')
  return {
    ...(objects?.length === 0 && { objects: missing }),
    ...(attributes?.length === 0 && { attributes: missing }),
    ...(from !== null &&
      until !== null &&
      from > until && { until: t('Must be after the start.') }),
  }
}

export function isGrantComplete(grant: Grant): boolean {
  return Object.keys(grantFaults(grant)).length === 0
}

/** A line about the data that a grant opens. `vehicles`: its vehicles in words. */
export function grantInWords(
  vehicles: string,
  grant: Omit<Grant, 'objects'>,
  utc: boolean,
): string {
  const { from, until, attributes } = grant
  const limits =
    attributes === null ? [] : [t('Attributes: {{value}}', { value: attributes.join(' · ') })]
  return [withPeriod(vehicles, from, until, utc), ...limits].join(' · ')
}

function withPeriod(vehicles: string, from: string | null, until: string | null, utc: boolean) {
  const begin = from === null ? '' : timeOf(from, 'minute', utc)
  const end = until === null ? '' : timeOf(until, 'minute', utc)
  if (from === null && until === null) return vehicles
  if (until === null) return t('{{vehicles}} from {{begin}}', { vehicles, begin })
  if (from === null) return t('{{vehicles}} until {{end}}', { vehicles, end })
  return t('{{vehicles}} from {{begin}} until {{end}}', { vehicles, begin, end })
}

/** Names of vehicles in a line. More of them are counted. */
const MAX_NAMES = 3

/** Returns the names of vehicles, or their number. */
export function useVehiclesInWords(organization: number) {
  const items = useObjects(organization).data?.items
  const names = useMemo(() => new Map(items?.map(({ id, name }) => [id, name])), [items])
  const nameOf = (id: number) => names.get(id) ?? t('No. {{key}}', { key: `${id}` })
  return (objects: readonly number[] | null, most = MAX_NAMES) => {
    if (objects === null) return t('All vehicles')
    if (objects.length <= most) return listed(objects.map(nameOf))
    return t('{{count, number}} vehicles', { count: objects.length })
  }
}
