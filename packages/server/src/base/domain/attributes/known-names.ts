import type { AttributeValue } from '../position/attribute.ts'
import {
  ATTRIBUTE_DEFAULTS,
  ATTRIBUTE_RULES,
  type AttributeEntry,
  holdsOf,
  isFieldName,
  MAX_NAME_CHARACTERS,
} from './attribute-catalogue.ts'
import { sourceNames } from './attribute-source.ts'
import { faultOf, noneFor } from './shown-value.ts'

/** The type of a name's values, and the settings that differ from the defaults. */
type Meaning = Pick<AttributeEntry, 'type'> &
  Partial<
    Pick<
      AttributeEntry,
      | ('name' | 'label' | 'unit' | 'decimals' | 'scale' | 'isCounter')
      | ('minimum' | 'maximum' | 'none' | 'endsWithIgnition' | 'maximumRate' | 'isLevel')
    >
  >

/** All ones of 16 and of 32 bits: buses and trackers send them for a number that they do not have. */
const NONE_16 = 65_535
const NONE_32 = 4_294_967_295

const PERCENT = { type: 'number', unit: '%', decimals: 0, minimum: 0, maximum: 100 } as const
/** 65535 mV mean none. */
const VOLTS = { type: 'number', unit: 'V', minimum: 0, none: [NONE_16, 65.535] } as const
const LITRES = { type: 'number', unit: 'l', decimals: 1, minimum: 0, none: [NONE_16] } as const
const CELSIUS = { type: 'number', unit: '°C', decimals: 1, minimum: -60, maximum: 120 } as const
/** A 1-wire sensor has 85 before its first reading, and its readers say -127 for a sensor that does not answer. */
const ONE_WIRE = { ...CELSIUS, none: [85, -127] } as const
/** The range of an engine, which may boil. An OBD bus has -40 for a byte of 0, which adapters send without a reading. */
const ENGINE_CELSIUS = { ...CELSIUS, maximum: 150, none: [-40] } as const
/** Meters, shown as kilometers. */
const METRES = { type: 'number', unit: 'km', scale: 0.001 } as const
const METRES_AS_KM = { ...METRES, minimum: 0, maximum: 10_000_000, none: [NONE_32] } as const
const DISTANCE = { ...METRES_AS_KM, isCounter: true, maximumRate: 250 } as const
/** A vehicle never has 0 on its own odometer, but its adapter does until the first reading. */
const OBD_DISTANCE = { ...DISTANCE, none: [0, NONE_32] } as const
/** An OBD bus has 255 for an unknown speed. */
const SPEED = { type: 'number', unit: 'km/h', minimum: 0, maximum: 250 } as const
const COUNT = { type: 'number', decimals: 0 } as const
const SWITCH = { type: 'boolean' } as const
const TEXT = { type: 'text' } as const

/** JSON of the Traccar Client app and Overland have a part of 1, and others percent. */
const FRACTIONS = ['battery.level', 'battery_level']

/**
 * The names of Traccar's attributes (`org.traccar.model.Position`, whose comments have the units) and of OwnTracks'
 * locations (https://owntracks.org/booklet/tech/json). Traccar gives a number to some: `temp1`, `io200`. Units differ
 * between devices, so an operator may change them. Ranges and `none` values are those of docs/attributes.md.
 */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  acceleration: { type: 'number' },
  adc: { type: 'number' },
  alarm: TEXT,
  armed: SWITCH,
  axleWeight: { type: 'number', unit: 'kg', decimals: 0, minimum: 0, none: [NONE_16] },
  batt: { ...PERCENT, name: 'battery_level' },
  battery: { ...VOLTS, label: 'Battery voltage', maximum: 100 },
  batteryLevel: PERCENT,
  'battery.is_charging': { ...SWITCH, name: 'charge' },
  ...Object.fromEntries(FRACTIONS.map((name) => [name, { ...PERCENT, name: 'battery_level' }])),
  blocked: SWITCH,
  bs: { ...COUNT, name: 'battery_state' },
  charge: SWITCH,
  conn: { ...TEXT, name: 'connection' },
  coolantTemp: { ...ENGINE_CELSIUS, label: 'Coolant temperature' },
  count: { ...COUNT, isCounter: true },
  deviceTemp: { ...CELSIUS, label: 'Device temperature' },
  distance: { type: 'number', unit: 'm', decimals: 0 },
  door: SWITCH,
  // 0 and the empty tag: nobody has signed in.
  driverUniqueId: { ...TEXT, name: 'driver', none: [0, ''], endsWithIgnition: true },
  drivingTime: COUNT,
  dtcs: { ...TEXT, label: 'Trouble codes' },
  engineLoad: { ...PERCENT, maximum: 125 },
  engineTemp: { ...ENGINE_CELSIUS, label: 'Engine temperature' },
  event: COUNT,
  fuel: { ...LITRES, isLevel: true },
  fuelConsumption: { type: 'number', unit: 'l/h', decimals: 1 },
  fuelLevel: { ...PERCENT, decimals: 1, isLevel: true },
  fuelUsed: { ...LITRES, none: [NONE_32], isCounter: true, maximumRate: 200 },
  heartRate: { ...COUNT, unit: '1/min', minimum: 1, maximum: 250 },
  // Traccar counts milliseconds.
  hours: {
    ...{ type: 'number', name: 'engine_hours', unit: 'h', scale: 1 / 3_600_000 },
    ...{ minimum: 0, none: [NONE_32], isCounter: true },
  },
  humidity: PERCENT,
  in: { ...SWITCH, label: 'Input' },
  io: { type: 'number', label: 'IO' },
  lock: SWITCH,
  m: { ...COUNT, name: 'monitoring_mode' },
  obdOdometer: { ...OBD_DISTANCE, label: 'OBD odometer' },
  obdSpeed: { ...SPEED, label: 'OBD speed', decimals: 1 },
  odometer: DISTANCE,
  out: { ...SWITCH, label: 'Output' },
  p: { type: 'number', name: 'air_pressure', unit: 'kPa', decimals: 1, minimum: 20, maximum: 120 },
  power: { ...VOLTS, label: 'Power supply', maximum: 100 },
  rpm: { ...COUNT, label: 'Engine speed', unit: '1/min', minimum: 0, maximum: 16_000 },
  rssi: { ...COUNT, label: 'Signal strength' },
  satVisible: { ...COUNT, label: 'Visible satellites' },
  serviceOdometer: { ...METRES_AS_KM },
  speedLimit: { ...SPEED, decimals: 0 },
  SSID: { ...TEXT, name: 'wifi', label: 'Wi-Fi network' },
  BSSID: { ...TEXT, name: 'wifi_station', label: 'Wi-Fi station' },
  steps: { ...COUNT, isCounter: true },
  t: { ...TEXT, name: 'trigger' },
  temp: { ...ONE_WIRE, label: 'Temperature' },
  throttle: PERCENT,
  totalDistance: DISTANCE,
  tripOdometer: { ...METRES_AS_KM },
  vac: { type: 'number', name: 'vertical_accuracy', unit: 'm', decimals: 0, minimum: 0 },
  vin: { ...TEXT, label: 'VIN', none: [''] },
}

/** The part of the values that has to have the type of a known name. */
const FITTING = 0.9

/**
 * A new entry, not public, for a name of devices that sent these values. A known name has its type, unit and label if nine of
 * ten values can have the type. Others have the type of nine of ten values, or else are texts.
 */
export function entryFor(source: string, values: readonly AttributeValue[]): AttributeEntry {
  const [stem, number] = stemOf(source)
  const known = meaningOf(stem)
  if (known !== undefined) {
    const entry = entryOf(source, stem, number, known)
    if (areMost(values, (value) => faultOf(value, entry) !== 'type')) {
      const isFraction = FRACTIONS.includes(stem) && areMost(values, (value) => Number(value) <= 1)
      return isFraction ? { ...entry, sources: [{ name: source, scale: 100 }] } : entry
    }
  }
  return entryOf(source, source, '', { type: typeOf(values) })
}

function entryOf(
  source: string,
  stem: string,
  number: string,
  { name = stem, label = labelOf(name), ...meaning }: Meaning,
): AttributeEntry {
  return {
    ...ATTRIBUTE_DEFAULTS,
    holds: holdsOf(meaning.type),
    ...meaning,
    name: nameOf(`${name}${number}`),
    label: `${label} ${number}`.trim(),
    sources: [source],
  }
}

function areMost<Value>(values: readonly Value[], isOne: (value: Value) => boolean): boolean {
  return values.filter(isOne).length >= values.length * FITTING
}

type Scaled = Pick<AttributeEntry, 'sources' | 'scale' | 'offset' | 'none'>

/**
 * The `none` values of an entry after its scale or offset changed. Those of a known name mean the same numbers as before.
 * Others stay.
 */
export function noneAfter(before: Scaled, after: Scaled): AttributeEntry['none'] {
  const [first = ''] = sourceNames(before)
  const known = entryFor(first, [])
  const isKnown = String(before.none) === String(noneFor(known, before))
  return isKnown ? noneFor(known, after) : before.none
}

/** A name as it is known, without the number after it: `temp` of `temp1`. */
export function knownName(source: string): string | undefined {
  const [stem] = stemOf(source)
  return meaningOf(stem) && stem
}

/** A known name, and the number after it: `temp` and `1` of `temp1`. */
function stemOf(source: string): [stem: string, number: string] {
  const [, stem = '', number = ''] = /^(\D+)(\d+)$/.exec(source) ?? []
  const isNumbered = meaningOf(source) === undefined && meaningOf(stem) !== undefined
  return isNumbered ? [stem, number] : [source, '']
}

function meaningOf(name: string): Meaning | undefined {
  return Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined
}

function typeOf(values: readonly AttributeValue[]): AttributeEntry['type'] {
  const types = ['number', 'boolean'] as const
  return types.find((type) => areMost(values, (value) => typeof value === type)) ?? 'text'
}

/** The words of a name: `fuel`, `level` in `fuelLevel`. */
function wordsOf(name: string): string[] {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const parted = letters.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return parted.match(/[a-z0-9]+/g) ?? []
}

/** The name in answers: `fuel_level` of `fuelLevel`, and `device_speed` of `speed`, which is a field. */
function nameOf(name: string): string {
  const own = wordsOf(name).join('_').slice(0, MAX_NAME_CHARACTERS).replace(/_$/, '')
  return isFieldName(own) ? `device_${own}` : own || 'attribute'
}

/** The name for people: `Fuel level` of `fuelLevel`. A name of another script stays as it is. */
export function labelOf(name: string): string {
  const [first, ...others] = wordsOf(name)
  if (first === undefined) return ATTRIBUTE_RULES.label.holds(name) ? name : 'Attribute'
  return [first.slice(0, 1).toUpperCase() + first.slice(1), ...others].join(' ')
}
