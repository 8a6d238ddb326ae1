/** The source of a counter: calculated by the server, or read from the device. */
export const COUNTER_TYPES = ['sensor', 'system'] as const
export type CounterType = (typeof COUNTER_TYPES)[number]

/** The source of an object's distance: its positions, or its device's own odometer. */
export const DISTANCE_SOURCES = ['gps', 'odometer'] as const
/** How a stop is detected: by speed, or only by an ignition that is off. */
export const STOP_DETECTION_METHODS = ['speed', 'ignition'] as const

/** Tracking accuracy and movement detection of one object. Speeds are always km/h here. */
export type Accuracy = {
  /** IANA zone name. */
  deviceTimezone: string
  maximumHdop: number
  /** Metres. Not among the settings that the public API shows. */
  maximumAccuracy: number
  /** Metres. The history hides a fix that is nearer than this to the last shown one. */
  minimumDifferencePoint: number
  minimumGpsLevel: number
  idleSpeedThreshold: number
  minimumMovingSpeed: number
  distanceSource: string
  stopDetectionMethod: string
  /** Minutes; see `Organization.maximumGap`. Null: that of the organization. */
  maximumGap: number | null
}

export const ACCURACY_DEFAULTS: Accuracy = {
  deviceTimezone: 'UTC',
  maximumHdop: 10,
  maximumAccuracy: 200,
  minimumDifferencePoint: 0,
  minimumGpsLevel: 0,
  idleSpeedThreshold: 3,
  minimumMovingSpeed: 5,
  distanceSource: 'gps',
  stopDetectionMethod: 'speed',
  maximumGap: null,
}

/** The settings of an object that an operator makes. Its `ObjectState` comes from its packets. */
export type ObjectSettings = {
  name: string
  /** The device's own id (an IMEI or similar), unique in its organization. */
  ident: string
  vin: string | null
  plateNumber: string | null
  engineHoursType: CounterType
  odometerType: CounterType
  /** Km added to the reading of a `sensor` odometer. */
  odometerOffset: number
  accuracy: Accuracy
  /** Counters and address until a fix brings its own: hours, km, km. */
  engineHours: number | null
  odometer: number | null
  mileage: number | null
  address: string | null
}

export const OBJECT_DEFAULTS: Omit<ObjectSettings, 'name' | 'ident'> = {
  vin: null,
  plateNumber: null,
  engineHoursType: 'system',
  odometerType: 'system',
  odometerOffset: 0,
  accuracy: ACCURACY_DEFAULTS,
  engineHours: null,
  odometer: null,
  mileage: null,
  address: null,
}

/** A tracked vehicle or asset. */
export type MonitoredObject = ObjectSettings & {
  id: number
  organization: number
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}

/** An object as its positions are folded: with the settings that it takes from its organization. */
export function withOwnSettings(
  object: MonitoredObject,
  { maximumGap }: { maximumGap: number },
): MonitoredObject {
  const { accuracy } = object
  if (accuracy.maximumGap !== null) return object
  return { ...object, accuracy: { ...accuracy, maximumGap } }
}
