import type { FleetObject } from '../api/types.ts'
import { t } from '../language/text.ts'
import { decimal } from '../ui/format.ts'
import { PLAIN_OBJECT_FIELDS } from '../ui/plain-object-fields.ts'

export type Field = {
  name: string
  /** Null if unknown. */
  value: string | null
  /** Whether the value is a time. */
  instant?: true
}

/** All fields of an object in readable form, in the order of the card. */
export function objectFields(object: FleetObject, unit: 'km' | 'mi'): Field[] {
  const moment = (name: string, value: string | null): Field => ({ name, value, instant: true })
  return [
    { name: t('Speed'), value: number(object.speed, `${unit}/h`, 0) },
    { name: t('Heading'), value: heading(object.angle) },
    { name: t('Position'), value: position(object) },
    { name: t('Address'), value: object.address },
    { name: t('Altitude'), value: number(object.altitude, 'm', 0) },
    {
      name: t('Ignition'),
      value: object.ignition === null ? null : object.ignition ? t('On') : t('Off'),
    },
    { name: t('Odometer'), value: number(object.odometer, unit, 1) },
    { name: t('Trip'), value: number(object.mileage, unit, 1) },
    { name: t('Engine hours'), value: number(object.engine_hours, 'h', 1) },
    { name: 'HDOP', value: number(object.hdop, '', 1) },
    { name: t('GPS level'), value: number(object.gps_level, '', 0) },
    moment(t('Last position'), object.time_device),
    moment(t('Last packet'), object.time_server),
    moment(t('Last moved'), object.time_last_move),
    moment(t('Last idle'), object.time_last_idle),
    moment(t('Last stopped'), object.time_last_stop),
    { name: t('Ident'), value: object.ident },
    ...PLAIN_OBJECT_FIELDS.map(({ name, label }) => ({ name: label, value: object[name] })),
    { name: t('Id'), value: String(object.id) },
  ]
}

const POINTS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW']

export function heading(degrees: number | null): string | null {
  if (degrees === null) return null
  return `${Math.round(degrees)}° ${POINTS[Math.round(degrees / 45) % 8]}`
}

function position({ latitude, longitude }: FleetObject): string | null {
  if (latitude === null || longitude === null) return null
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
}

function number(value: number | null, unit: string, digits: number): string | null {
  if (value === null) return null
  return `${decimal(value, digits)} ${unit}`.trim()
}
