import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { ShareVehicles } from '../sharing/ShareVehicles.tsx'
import { placeText } from '../ui/format.ts'
import { mapHref } from '../ui/page/map-address.ts'
import { type LongColumn, LongTable, type Sorting } from '../ui/table/LongTable.tsx'
import { dayOf } from '../ui/time/days.ts'
import { Time } from '../ui/time/Time.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import { distanceText, speedText } from '../ui/units.ts'
import { ConfirmDelete } from './DeleteObject.tsx'
import { MotionMark } from './motion.tsx'
import type { SortKey } from './sorting.ts'

type ObjectTableProps = {
  organization: OrganizationSummary
  rows: FleetObject[]
  sorting: Sorting<SortKey>
  onSort: (sorting: Sorting<SortKey>) => void
}

/** Vehicles, each of which leads to its page. */
export function ObjectTable({ organization, ...table }: ObjectTableProps) {
  const columns = useMemo(() => columnsOf(organization), [organization])
  const [, navigate] = useLocation()
  const [utc] = useUtc()
  const [sharing, setSharing] = useState<FleetObject | null>(null)
  const [deleting, setDeleting] = useState<FleetObject | null>(null)
  return (
    <>
      <LongTable
        label={t('Vehicles')}
        columns={columns}
        rowKey={({ id }) => id}
        href={({ id }) => `/organizations/${organization.id}/objects/${id}`}
        menu={(object) => {
          const { id, name } = object
          const day = dayOf(object.time_device ?? Date.now(), utc)
          const deletion = { name: t('Delete…'), onAction: () => setDeleting(object) }
          return {
            label: t('Actions for {{name}}', { name }),
            items: [
              {
                name: t('Show on map'),
                shows: true,
                onAction: () => navigate(mapHref(organization.id, id)),
              },
              {
                name: t('Show last day on map'),
                shows: true,
                onAction: () => navigate(mapHref(organization.id, id, { day })),
              },
              { name: t('Share'), onAction: () => setSharing(object) },
              { ...deletion, isDanger: true },
            ],
          }
        }}
        {...table}
      />
      {sharing !== null && (
        <ShareVehicles
          organization={organization}
          objects={[sharing.id]}
          onClose={() => setSharing(null)}
        />
      )}
      {deleting !== null && (
        <ConfirmDelete
          organization={organization}
          object={deleting}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  )
}

/** First what a dispatcher looks for. */
function columnsOf({
  distance_unit: unit,
}: OrganizationSummary): LongColumn<FleetObject, SortKey>[] {
  return [
    { by: 'name', name: t('Name'), cell: ({ name }) => <span title={name}>{name}</span> },
    { by: 'motion', name: t('Motion'), cell: ({ motion }) => <MotionMark motion={motion} /> },
    {
      by: 'speed',
      name: t('Speed'),
      number: true,
      // Others have stood still since, or nobody knows.
      cell: ({ motion, speed }) =>
        motion === 'moving' && speed !== null ? speedText(speed, unit) : '',
    },
    {
      by: 'address',
      name: t('Location'),
      breaks: true,
      cell: (object) => <Place object={object} />,
    },
    {
      by: 'time_device',
      name: t('Last position'),
      cell: ({ time_device }) => <Time value={time_device} as="ago" none={t('none yet')} quiet />,
    },
    { by: 'plate_number', name: t('Plate'), cell: (each) => each.plate_number ?? '' },
    { by: 'ident', name: t('Ident'), wideOnly: true, cell: ({ ident }) => <code>{ident}</code> },
    {
      by: 'odometer',
      name: t('Odometer'),
      number: true,
      wideOnly: true,
      cell: ({ odometer }) => (odometer === null ? '' : distanceText(odometer, unit, 0)),
    },
  ]
}

function Place({ object }: { object: FleetObject }) {
  const text = object.address ?? placeText(object)
  return text === '' ? '' : <span title={text}>{text}</span>
}
