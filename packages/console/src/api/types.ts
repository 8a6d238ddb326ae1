// Written by write-types.ts of the API’s description.

/** Whether the caller is signed in. */
export type Session = {
  /**
   * `setup`: no password is set, the one-time link lets one be set; `signed_out`: it is asked for;
   * `signed_in`: it was given, or a token.
   */
  state: 'setup' | 'signed_out' | 'signed_in'
  /** When this session ends by itself. Null if there is none. */
  expires_at: string | null
}

/** The password. */
export type SignIn = {
  /** The operator’s password. */
  password: string
}

/** The first password. */
export type SetUp = {
  /** The part of the setup link after `#`. */
  token: string
  /** The password to be set: 12 to 200 characters. */
  password: string
}

/** Another password. All other sessions end. */
export type PasswordChange = {
  /** The password that holds. */
  current: string
  /** The one in its place: 12 to 200 characters. */
  next: string
}

/** A token with which a program uses this API: `Authorization: Bearer <token>`. */
export type Token = {
  /** Id of the token. */
  id: number
  /** What it is for. */
  name: string
  /**
   * What it lets a program do. `read`: read everything. `organization`: manage one organization,
   * and see nothing of others. `all`: whatever the console does.
   */
  scope: 'read' | 'organization' | 'all'
  /** The organization that it manages. Null with any other scope. */
  organization: number | null
  /**
   * Id of the token that issued it; it ends with that one. Null: the console or the command line
   * issued it.
   */
  issuer: number | null
  /** Its first characters. */
  prefix: string
  /** Its last four characters. */
  last_four: string
  /** When it was issued. */
  created_at: string
  /** When it ends. Null: never. */
  expires_at: string | null
  /** When it was last used, to the minute. Null: never. */
  last_used_at: string | null
}

/** The tokens that stand, by id. */
export type Tokens = {
  items: Token[]
}

/** A token to be issued. A token issues none that reaches farther than itself or lasts longer. */
export type NewToken = {
  /** What it is for: 1 to 200 characters. */
  name: string
  /**
   * What it lets a program do. `read`: read everything. `organization`: manage one organization,
   * and see nothing of others. `all`: whatever the console does. Left out: that of the issuer.
   */
  scope?: 'read' | 'organization' | 'all'
  /**
   * The organization that it manages, with the scope `organization` alone. Null, or left out: that
   * of the issuer.
   */
  organization?: number | null
  /** When it ends. Null, or left out: never. */
  expires_at?: string | null
}

/** A token that was issued. */
export type IssuedToken = {
  token: Token
  /** The token itself. It is shown this once. */
  secret: string
}

/** The server and its configured surroundings. */
export type Server = {
  /** Version of the server. */
  version: string
  /** What time it is there. */
  now: string
  /** Where the public API answers, as printed at the start. Null: elsewhere. */
  api_url: string | null
  /** Where the feed takes positions in. Null: elsewhere. */
  feed_url: string | null
  /** The base map. */
  map: {
    /**
     * Template of raster tiles with {z}, {x} and {y}. Null: the map that ships with the server.
     */
    tiles_url: string | null
    /** What the map has to say of where its tiles come from. */
    attribution: string | null
  }
  /** Languages of the API’s messages. */
  languages: string[]
  /** Names of time zones. */
  time_zones: string[]
}

/** Who owns a fleet, and the keys to it. */
export type Organization = {
  /** Id of the organization. */
  id: number
  /** Its name: 1 to 200 characters. */
  name: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota: number | null
  /** Whether the feed makes an object for an ident that it does not know. */
  create_objects: boolean
  /** How many objects it may have. Objects that exist stay where the limit is lowered. */
  max_objects: number
  /** Days for which positions are kept. Null: for ever. */
  retention_days: number | null
  /** When it was created. */
  created_at: string
  /** When its settings were last changed. */
  updated_at: string
}

/** An organization, and how it fares today. */
export type OrganizationSummary = {
  /** Id of the organization. */
  id: number
  /** Its name: 1 to 200 characters. */
  name: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota: number | null
  /** Whether the feed makes an object for an ident that it does not know. */
  create_objects: boolean
  /** How many objects it may have. Objects that exist stay where the limit is lowered. */
  max_objects: number
  /** Days for which positions are kept. Null: for ever. */
  retention_days: number | null
  /** When it was created. */
  created_at: string
  /** When its settings were last changed. */
  updated_at: string
  /** How many objects it has. */
  objects: number
  /** How many of them have sent anything that was taken since 00:00 UTC. */
  objects_seen_today: number
  /** How many API keys stand, neither revoked nor expired. */
  keys: number
  /** Requests with one of its keys since 00:00 UTC, refused ones too. */
  requests_today: number
  /** How many of them were refused because the rate window was full (429). */
  refused_today: number
  /** Highest number of charges of one object since 00:00 UTC. Null where there is no quota. */
  quota_used: number | null
  /** How many objects have nothing left of today’s quota. */
  objects_exhausted: number
}

/** Organizations, by id. */
export type Organizations = {
  items: OrganizationSummary[]
}

/** An organization to be created. */
export type NewOrganization = {
  /** Its name: 1 to 200 characters. */
  name: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit?: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language?: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription?: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota?: number | null
  /** Whether the feed makes an object for an ident that it does not know. */
  create_objects?: boolean
  /** How many objects it may have. Objects that exist stay where the limit is lowered. */
  max_objects?: number
  /** Days for which positions are kept. Null: for ever. */
  retention_days?: number | null
}

/** The settings that change. */
export type OrganizationPatch = {
  /** Its name: 1 to 200 characters. */
  name?: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit?: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language?: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription?: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota?: number | null
  /** Whether the feed makes an object for an ident that it does not know. */
  create_objects?: boolean
  /** How many objects it may have. Objects that exist stay where the limit is lowered. */
  max_objects?: number
  /** Days for which positions are kept. Null: for ever. */
  retention_days?: number | null
}

/** An API key or a feed token. The secret itself is kept nowhere. */
export type Credential = {
  /** Its id. */
  id: number
  /** What it is for. */
  name: string
  /** Its first characters. */
  prefix: string
  /** Its last four characters. */
  last_four: string
  /** When it was issued. */
  created_at: string
  /** When it ends. Null: never. */
  expires_at: string | null
  /** When it was revoked. Null: it was not. */
  revoked_at: string | null
  /** When it was last used, to the minute. Null: never. */
  last_used_at: string | null
  /** Requests with it since 00:00 UTC; of a feed token always 0. */
  requests_today: number
  /** Requests with it in the last 30 days, today among them; of a feed token always 0. */
  requests_30_days: number
}

/** Keys or tokens by id, revoked and expired ones too. */
export type Credentials = {
  items: Credential[]
}

/** A key or token to be issued. */
export type NewCredential = {
  /** What it is for: 1 to 200 characters. */
  name: string
  /** When it ends. Null, or left out: never. */
  expires_at?: string | null
}

/** A key to be issued in the place of another. */
export type Rotation = {
  /** Hours for which the old one stays good beside the new one: 0 to 8760. */
  overlap_hours: number
}

/** A key or token that was issued. */
export type IssuedCredential = {
  credential: Credential
  /** The secret itself. It is shown this once. */
  secret: string
}

/**
 * How an organization used the API. Where other processes answer requests, up to a minute behind.
 */
export type Usage = {
  /** Each day of the range, ascending, those without requests too. */
  days: {
    /** The UTC day. */
    day: string
    /** Requests with a key of the organization. */
    requests: number
    /** How many of them the rate window refused (429). */
    refused: number
    answers: {
      /**
       * Name of the operation, as the API’s description has it; `none` where the path was unknown.
       */
      operation: string
      /** Status of the answer. */
      status: number
      /** How many. */
      requests: number
    }[]
  }[]
}

/** Today’s quota, object by object. */
export type Quota = {
  /** Charges per object and UTC day. Null: unlimited. */
  limit: number | null
  /** When the next day begins. */
  resets_at: string
  /** Those that were charged today, the most charged first. */
  items: ({
    /** Id of the object. */
    object: number
    /** Its name. */
    name: string
    /** Its ident. */
    ident: string
    /** Charges today. */
    used: number
    /** What is left. Null: unlimited. */
    remaining: number | null
  })[]
  /** How many objects were charged today, also those that are not among the items. */
  charged: number
}

/** How positions are accepted and movement is detected. */
export type Accuracy = {
  /**
   * IANA name of the time zone in which times that the device sends without an offset are read.
   */
  device_timezone: string
  /** Highest horizontal dilution of precision of a position that is accepted. */
  maximum_hdop: number
  /** Least distance in metres between two positions that are both accepted. */
  minimum_difference_point: number
  /** Least GPS quality level of a position that is accepted. */
  minimum_gps_level: number
  /** Speed in km/h that separates idling from standing. */
  idle_speed_threshold: number
  /** Speed in km/h from which an object counts as moving. */
  minimum_moving_speed: number
  /** What distances are calculated from. */
  distance_source: 'gps' | 'odometer'
  /** How stops are detected. */
  stop_detection_method: 'speed' | 'ignition'
}

/** The accuracy settings that change. */
export type AccuracyPatch = {
  /**
   * IANA name of the time zone in which times that the device sends without an offset are read.
   */
  device_timezone?: string
  /** Highest horizontal dilution of precision of a position that is accepted. */
  maximum_hdop?: number
  /** Least distance in metres between two positions that are both accepted. */
  minimum_difference_point?: number
  /** Least GPS quality level of a position that is accepted. */
  minimum_gps_level?: number
  /** Speed in km/h that separates idling from standing. */
  idle_speed_threshold?: number
  /** Speed in km/h from which an object counts as moving. */
  minimum_moving_speed?: number
  /** What distances are calculated from. */
  distance_source?: 'gps' | 'odometer'
  /** How stops are detected. */
  stop_detection_method?: 'speed' | 'ignition'
}

/** A tracked vehicle or asset, its settings, and where it is. */
export type FleetObject = {
  /** Id of the object. */
  id: number
  /** Display name: 1 to 200 characters. */
  name: string
  /** The device’s own id, an IMEI or similar, unique in the organization: 1 to 64 characters. */
  ident: string
  /** Vehicle identification number. */
  vin: string | null
  /** Plate number. */
  plate_number: string | null
  /** Where engine hours come from. */
  engine_hours_type: 'sensor' | 'system'
  /** Where the odometer comes from. */
  odometer_type: 'sensor' | 'system'
  /**
   * What is added to the odometer of a device’s sensor, in the distance unit of the organization.
   */
  odometer_offset: number
  accuracy: Accuracy
  /** When it was created. */
  created_at: string
  /** When a packet last came. Null: never. */
  time_server: string | null
  /** Time of the latest position. Null: there is none. */
  time_device: string | null
  /** When it last moved. */
  time_last_move: string | null
  /** When it was last idle. */
  time_last_idle: string | null
  /** When it last stood. */
  time_last_stop: string | null
  /** How it moves. Null: unknown, or its last packet was taken more than 24 hours ago. */
  motion: 'moving' | 'idle' | 'stopped' | null
  /** Degrees. */
  latitude: number | null
  /** Degrees. */
  longitude: number | null
  /** Metres. */
  altitude: number | null
  /** Heading, degrees clockwise from north. */
  angle: number | null
  /** In the distance unit of the organization per hour. */
  speed: number | null
  /** Horizontal dilution of precision of the latest position. */
  hdop: number | null
  /** GPS quality level of the latest position, mostly the number of satellites. */
  gps_level: number | null
  /** Whether the ignition was on at the latest position. */
  ignition: boolean | null
  /** Hours. */
  engine_hours: number | null
  /** In the distance unit of the organization. */
  odometer: number | null
  /** Of the current or last trip, in the distance unit of the organization. */
  mileage: number | null
  /** Latest known address. */
  address: string | null
}

/** Objects, by id. */
export type FleetObjects = {
  items: FleetObject[]
}

/** An object to be created. */
export type NewObject = {
  /** Display name: 1 to 200 characters. */
  name: string
  /** The device’s own id, an IMEI or similar, unique in the organization: 1 to 64 characters. */
  ident: string
  /** Vehicle identification number. */
  vin?: string | null
  /** Plate number. */
  plate_number?: string | null
  /** Where engine hours come from. */
  engine_hours_type?: 'sensor' | 'system'
  /** Where the odometer comes from. */
  odometer_type?: 'sensor' | 'system'
  /**
   * What is added to the odometer of a device’s sensor, in the distance unit of the organization.
   */
  odometer_offset?: number
  /** The accuracy settings that change. */
  accuracy?: {
    /**
     * IANA name of the time zone in which times that the device sends without an offset are read.
     */
    device_timezone?: string
    /** Highest horizontal dilution of precision of a position that is accepted. */
    maximum_hdop?: number
    /** Least distance in metres between two positions that are both accepted. */
    minimum_difference_point?: number
    /** Least GPS quality level of a position that is accepted. */
    minimum_gps_level?: number
    /** Speed in km/h that separates idling from standing. */
    idle_speed_threshold?: number
    /** Speed in km/h from which an object counts as moving. */
    minimum_moving_speed?: number
    /** What distances are calculated from. */
    distance_source?: 'gps' | 'odometer'
    /** How stops are detected. */
    stop_detection_method?: 'speed' | 'ignition'
  }
}

/** The settings that change; of `accuracy`, those that are named. */
export type ObjectPatch = {
  /** Display name: 1 to 200 characters. */
  name?: string
  /** The device’s own id, an IMEI or similar, unique in the organization: 1 to 64 characters. */
  ident?: string
  /** Vehicle identification number. */
  vin?: string | null
  /** Plate number. */
  plate_number?: string | null
  /** Where engine hours come from. */
  engine_hours_type?: 'sensor' | 'system'
  /** Where the odometer comes from. */
  odometer_type?: 'sensor' | 'system'
  /**
   * What is added to the odometer of a device’s sensor, in the distance unit of the organization.
   */
  odometer_offset?: number
  /** The accuracy settings that change. */
  accuracy?: {
    /**
     * IANA name of the time zone in which times that the device sends without an offset are read.
     */
    device_timezone?: string
    /** Highest horizontal dilution of precision of a position that is accepted. */
    maximum_hdop?: number
    /** Least distance in metres between two positions that are both accepted. */
    minimum_difference_point?: number
    /** Least GPS quality level of a position that is accepted. */
    minimum_gps_level?: number
    /** Speed in km/h that separates idling from standing. */
    idle_speed_threshold?: number
    /** Speed in km/h from which an object counts as moving. */
    minimum_moving_speed?: number
    /** What distances are calculated from. */
    distance_source?: 'gps' | 'odometer'
    /** How stops are detected. */
    stop_detection_method?: 'speed' | 'ignition'
  }
}

/** The last packets of an object that were not accepted, the newest first. */
export type Rejects = {
  items: ({
    /** When the packet came. Null where no date can tell it, as with the next. */
    time_server: string | null
    /** When the device says it was. */
    time_device: string | null
    /** Why it was not accepted, a word. */
    reason: string
    /** The same, a sentence. */
    message: string
    /** Horizontal dilution of precision. */
    hdop: number | null
    /** GPS quality level. */
    gps_level: number | null
    /** Degrees. */
    latitude: number | null
    /** Degrees. */
    longitude: number | null
  })[]
}

/** The 100 idents that sent last, the newest first. */
export type RefusedIdents = {
  items: ({
    /** What the tracker calls itself. */
    ident: string
    /** Why the last packet made no object. */
    reason: 'unknown_ident' | 'limit_of_objects' | 'limit_of_new_objects'
    /** The same, a sentence. */
    message: string
    /** How many packets came since the ident is on the list. */
    packets: number
    /** When the last packet came. */
    last_at: string
    /** Where the last packet was sent from, degrees. Null: it had no fix. */
    latitude: number | null
    /** Degrees. */
    longitude: number | null
  })[]
}

/** A stand of two minutes or more. */
export type Stop = {
  /** When it came to a stand. */
  from: string
  /** When it moved on. Null: it stood still at the end of the range. */
  to: string | null
  /** With the engine running, or not. */
  motion: 'idle' | 'stopped'
  /** Degrees. */
  latitude: number
  /** Degrees. */
  longitude: number
}

/** The way of an object in a range of time. */
export type Track = {
  /** By time, ascending. */
  points: ([number, number, number, number | null, number | null, 'moving' | 'idle' | 'stopped' | null, number | null])[]
  /** Whether the range has more positions than were asked for: the first ones are given. */
  truncated: boolean
  /** Positions that history shows. */
  positions: number
  /** Way in the distance unit of the organization. */
  distance: number
  /** Time in which it moved. */
  moving_seconds: number
  /** Time in which it was idle. */
  idle_seconds: number
  stops: Stop[]
}

/** Accuracy settings to be tried. */
export type PreviewAsked = {
  accuracy: AccuracyPatch
  /** The range of time to try them on: its first moment. */
  from: string
  /** Its last moment, at most 7 days later. */
  to: string
}

/** What a day amounts to under some settings. */
export type PreviewOutcome = {
  /** Positions that history shows. */
  positions: number
  /** Way in the distance unit of the organization. */
  distance: number
  /** Time in which it moved. */
  moving_seconds: number
  /** Time in which it was idle. */
  idle_seconds: number
  stops: Stop[]
  /** Positions of the range that would be accepted. */
  accepted: number
  refused: {
    /** A word. */
    reason: string
    /** A sentence. */
    message: string
    /** How many. */
    positions: number
  }[]
  /** The way that would be shown. */
  line: [number, number][]
}

/**
 * What accuracy settings would make of positions that are stored. Packets that were refused under
 * the settings of their time are not stored and cannot come back.
 */
export type Preview = {
  before: PreviewOutcome
  after: PreviewOutcome
  /** Whether the range has more positions than are tried (100,000): the first ones are. */
  truncated: boolean
}

/** A zone. */
export type Geofence = {
  /** Id. */
  id: number
  /** Name: 1 to 200 characters. */
  name: string
  /** Free text. */
  description: string | null
  /** Display colour, hexadecimal. */
  color: string | null
  /** Vertices of the polygon. */
  coordinates: [number, number][]
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** Geofences, by id. */
export type Geofences = {
  items: Geofence[]
}

/** Of a geofence, what changes; of a new one, all that it has. */
export type GeofencePatch = {
  /** Name: 1 to 200 characters. */
  name?: string
  /** Free text. */
  description?: string | null
  /** Display colour, hexadecimal. */
  color?: string | null
  /** Vertices of the polygon. */
  coordinates?: [number, number][]
}

/** A planned route. */
export type Route = {
  /** Id. */
  id: number
  /** Name: 1 to 200 characters. */
  name: string
  /** Free text. */
  description: string | null
  /** Display colour, hexadecimal. */
  color: string | null
  /** Allowed deviation in metres. */
  deviation: number | null
  points: {
    /** Longitude and latitude in degrees (WGS 84), in this order. */
    location: [number, number]
    /** Place in the sequence. */
    order: number
  }[]
  /** As of a GeoJSON MultiLineString. */
  coordinates: [number, number][][]
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** Routes, by id. */
export type Routes = {
  items: Route[]
}

/** Of a route, what changes; of a new one, all that it has. */
export type RoutePatch = {
  /** Name: 1 to 200 characters. */
  name?: string
  /** Free text. */
  description?: string | null
  /** Display colour, hexadecimal. */
  color?: string | null
  /** Allowed deviation in metres. */
  deviation?: number | null
  points?: {
    /** Longitude and latitude in degrees (WGS 84), in this order. */
    location: [number, number]
    /** Place in the sequence. */
    order: number
  }[]
  /** As of a GeoJSON MultiLineString. */
  coordinates?: [number, number][][]
}

/** A point of interest. */
export type Site = {
  /** Id. */
  id: number
  /** Name: 1 to 200 characters. */
  name: string
  /** Free text. */
  description: string | null
  /** Identifier of an icon. */
  icon: string | null
  /** Latitude of the centre. */
  latitude: number
  /** Longitude of the centre. */
  longitude: number
  /** Radius in metres. */
  radius: number | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** Sites, by id. */
export type Sites = {
  items: Site[]
}

/** Of a site, what changes; of a new one, all that it has. */
export type SitePatch = {
  /** Name: 1 to 200 characters. */
  name?: string
  /** Free text. */
  description?: string | null
  /** Identifier of an icon. */
  icon?: string | null
  /** Latitude of the centre. */
  latitude?: number
  /** Longitude of the centre. */
  longitude?: number
  /** Radius in metres. */
  radius?: number | null
}

/** GeoJSON (RFC 7946). */
export type FeatureCollection = Record<string, unknown>

/** What became of the rows of a file. */
export type ImportSummary = {
  /** Name of the file. */
  file: string
  /** Rows read: accepted, duplicate, conflict and rejected together. */
  read: number
  /** Rows that were taken. */
  accepted: number
  /** Rows of what stood already, the same. */
  duplicate: number
  /** Rows that another contradicts. */
  conflict: number
  /** Rows that cannot be taken. */
  rejected: number
  /** Of the accepted, those that are new. */
  created: number
  /** Of the accepted, those that changed what stood. */
  updated: number
  /** Of the rejected rows, by reason. */
  reasons: Record<string, {
    /** How many. */
    count: number
    first: {
      /** Name of the file. */
      file: string
      /** Line, from 1. */
      line: number
      /** How it begins. */
      text: string
      /** What is the matter with it. */
      detail: string
    }[]
  }>
  /** Rows of one fate. */
  duplicates: {
    /** How many. */
    count: number
    first: {
      /** Name of the file. */
      file: string
      /** Line, from 1. */
      line: number
      /** How it begins. */
      text: string
      /** What is the matter with it. */
      detail: string
    }[]
  }
  /** Rows of one fate. */
  conflicts: {
    /** How many. */
    count: number
    first: {
      /** Name of the file. */
      file: string
      /** Line, from 1. */
      line: number
      /** How it begins. */
      text: string
      /** What is the matter with it. */
      detail: string
    }[]
  }
  /** Whether the file ends before its content does. */
  truncated: boolean
  /** What else there is to say. */
  notes: string[]
  /** Why the rest was not read. Null: all was. */
  stopped: string | null
}

/** Who changed what, and when; the newest first. */
export type Audit = {
  items: ({
    /** Id of the entry. */
    id: number
    /** When. */
    at: string
    /** Who: `console`, `token <id> <name>`, or `command line`. */
    actor: string
    /** What was done to what, such as `organization.update`. */
    action: string
    /** Whose it is. Null: the deployment’s. */
    organization: number | null
    /** Id of what it was done to. */
    target: number | null
    /** What that was called. */
    name: string | null
    /** By the name of a setting, what it was (`from`) and what it became (`to`). */
    changes: Record<string, unknown> | null
  })[]
  /** To be given as `before` for the next page. Null: there is none. */
  next: number | null
}

/**
 * Where objects are. The first event tells of all that have a position, the others of those that
 * changed.
 */
export type LiveObjects = {
  items: ([number, number, number, number | null, number | null, 'moving' | 'idle' | 'stopped' | null, number])[]
}

/** The body of every error. */
export type ErrorBody = {
  /** A word for programs to decide by. */
  code: string
  /** A sentence that says what is wrong and what to do. */
  message: string
  /** The wrong field. Null if no field is wrong. */
  field: string | null
}
