import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { Facts } from '../ui/Figures.tsx'
import { decimal } from '../ui/format.ts'
import { Time } from '../ui/time/Time.tsx'
import { MotionMark } from './motion.tsx'
import { distanceText, speedText } from './units.ts'

type NowCardProps = { organization: OrganizationSummary; object: FleetObject }

export function NowCard({ organization, object }: NowCardProps) {
  const { distance_unit: unit } = organization
  if (object.time_server === null) {
    return (
      <Card
        title={object.name}
        lead={
          <Phrase
            text={
              'The server has never received a packet with the ident <code>{{ident}}</code>. Check that the tracker sends this ident, with a valid feed token.'
            }
            values={{ ident: object.ident }}
            parts={{ code: <code /> }}
          />
        }
      />
    )
  }
  return (
    <Card title={object.name} lead={object.address ?? undefined}>
      <Facts
        items={[
          [t('Motion'), <MotionMark key="motion" motion={object.motion} />],
          [t('Speed'), speedText(object.speed, unit)],
          [t('Last packet'), <Time key="packet" value={object.time_server} as="ago" />],
          [
            t('Last position'),
            <Time key="position" value={object.time_device} as="ago" none={t('none yet')} />,
          ],
          [t('Last moved'), <Time key="moved" value={object.time_last_move} as="ago" />],
          [t('Last stopped'), <Time key="stopped" value={object.time_last_stop} as="ago" />],
          [t('Where'), placeOf(object)],
          [t('Odometer'), distanceText(object.odometer, unit)],
          [t('This trip'), distanceText(object.mileage, unit)],
          [
            t('Engine hours'),
            object.engine_hours === null ? 'unknown' : `${decimal(object.engine_hours)} h`,
          ],
          [t('Ignition'), object.ignition === null ? 'unknown' : object.ignition ? 'on' : 'off'],
          [t('Precision'), precisionOf(object)],
        ]}
      />
    </Card>
  )
}

function placeOf({ latitude, longitude }: FleetObject): string {
  if (latitude === null || longitude === null) return 'unknown'
  return `${decimal(latitude, 5)}, ${decimal(longitude, 5)}`
}

function precisionOf({ hdop, gps_level }: FleetObject): string {
  const parts = [
    hdop === null ? '' : `HDOP ${decimal(hdop)}`,
    gps_level === null ? '' : `level ${gps_level}`,
  ].filter((each) => each !== '')
  return parts.length === 0 ? 'unknown' : parts.join(', ')
}
