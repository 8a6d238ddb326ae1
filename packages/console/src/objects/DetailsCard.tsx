import type { ReactNode } from 'react'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { CopyValue } from '../ui/Copy.tsx'
import { Facts } from '../ui/Figures.tsx'
import { decimal } from '../ui/format.ts'
import { PLAIN_OBJECT_FIELDS } from '../ui/plain-object-fields.ts'
import { distanceText } from '../ui/units.ts'

type DetailsCardProps = { organization: OrganizationSummary; object: FleetObject }
type Fact = readonly [name: string, value: ReactNode]

/** The ids and counters of a vehicle: those that are known. */
export function DetailsCard({ organization, object }: DetailsCardProps) {
  const { distance_unit: unit } = organization
  const { odometer, engine_hours: hours, ignition, hdop, gps_level: level } = object
  const known = (name: string, value: unknown, text: () => ReactNode): Fact[] =>
    value === null ? [] : [[name, text()]]
  return (
    <Card title={t('Details')}>
      <Facts
        items={[
          [t('API ID'), <CopyValue key="id" label={t('API ID')} text={`${object.id}`} />],
          [t('Ident'), <CopyValue key="ident" label={t('Ident')} text={object.ident} />],
          ...PLAIN_OBJECT_FIELDS.flatMap(({ name, label }) =>
            known(label, object[name], () => object[name]),
          ),
          ...known(t('Odometer'), odometer, () => distanceText(odometer!, unit, 0)),
          ...known(t('Engine hours'), hours, () => `${decimal(hours!)} h`),
          ...known(t('Ignition'), ignition, () => (ignition ? t('On') : t('Off'))),
          ...known(t('HDOP'), hdop, () => decimal(hdop!)),
          ...known(t('GPS level'), level, () => level),
        ]}
      />
    </Card>
  )
}
