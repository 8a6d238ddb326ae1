/** Where a counter's value comes from: calculated by the service, or read from the device. */
export const COUNTER_TYPES = ['sensor', 'system'] as const
export type CounterType = (typeof COUNTER_TYPES)[number]

/** What the way of an object is reckoned from: its positions, or its device's own odometer. */
export const DISTANCE_SOURCES = ['gps', 'odometer'] as const
/** What tells that an object stands: its speed, or only an ignition that is off. */
export const STOP_DETECTION_METHODS = ['speed', 'ignition'] as const

/** Tracking accuracy and movement detection of one object. Speeds are always km/h here. */
export type Accuracy = {
  /** IANA zone name. */
  deviceTimezone: string
  maximumHdop: number
  /** Metres between consecutive accepted points. */
  minimumDifferencePoint: number
  minimumGpsLevel: number
  idleSpeedThreshold: number
  minimumMovingSpeed: number
  distanceSource: string
  stopDetectionMethod: string
}

export const ACCURACY_DEFAULTS: Accuracy = {
  deviceTimezone: 'UTC',
  maximumHdop: 10,
  minimumDifferencePoint: 0,
  minimumGpsLevel: 0,
  idleSpeedThreshold: 3,
  minimumMovingSpeed: 5,
  distanceSource: 'gps',
  stopDetectionMethod: 'speed',
}

/** What an operator says of an object; what its packets say of it is its `ObjectState`. */
export type ObjectSettings = {
  name: string
  /** The device's own id (an IMEI or similar), unique in its organization. */
  ident: string
  vin: string | null
  plateNumber: string | null
  engineHoursType: CounterType
  odometerType: CounterType
  /** Km that are added to what a `sensor` odometer reads. */
  odometerOffset: number
  accuracy: Accuracy
  /** Counters and address that hold until a fix brings its own: hours, km, km. */
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
export type TrackedObject = ObjectSettings & {
  id: number
  organization: number
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}
