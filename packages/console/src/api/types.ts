// Written by write-types.ts of the API’s description.

/** Whether the caller is signed in, and what it may do. */
export type Session = {
  /**
   * `setup`: there is no account yet, and the one-time link creates the first. `signed_out`: the
   * caller has to sign in. `signed_in`: the caller has signed in, or has sent a token.
   */
  state: 'setup' | 'signed_out' | 'signed_in'
  /** When this session ends automatically. Null if it does not. */
  expires_at: string | null
  /** The person who has signed in. Null: a token, or nobody. */
  account: {
    /** Id of the account. */
    id: number
    /** The e-mail address. */
    email: string
    /** The name. */
    name: string
    /** Whether there is a password. */
    has_password: boolean
    /** Whether sign-in with the password requires a code (two-factor authentication). */
    has_totp: boolean
    /** Whether the person may sign in by single sign-on. */
    is_linked: boolean
  } | null
  /** The roles of the caller, and where they apply. */
  roles: HeldRole[]
  /**
   * Whether the deployment requires two-factor authentication, which the person has to set up
   * before anything else.
   */
  must_set_up_totp: boolean
  /**
   * The name of the provider of single sign-on, which begins at `/sign-on/start`. Null: there is
   * none.
   */
  sign_on: string | null
  /** Whether people may sign in with a password. */
  takes_passwords: boolean
}

/** A role of a person. */
export type HeldRole = {
  /** The role of the person. */
  role: 'operator' | 'support' | 'administrator' | 'viewer'
  /** In this organization. Null: in the whole deployment. */
  organization: number | null
  /**
   * Whether single sign-on gave it. Then it follows the groups of the provider at each sign-in.
   */
  is_from_sign_on: boolean
}

/** The person who signs in. */
export type SignIn = {
  /** The e-mail address of the account. */
  email: string
  /** Its password. */
  password: string
  /**
   * A code of the authenticator app, or a recovery code, if the account has codes. Each works once.
   */
  code?: string | null
}

/** A person who wants to sign in by single sign-on too. */
export type LinkAccount = {
  /** The current password. */
  current: string
}

/** The page at which a person signs on. */
export type SignOnPage = {
  /** The page of the provider to which the browser has to go. */
  url: string
}

/** A logout at the provider (OpenID Connect Back-Channel Logout 1.0). */
export type ProviderLogout = {
  /** The signed token that names the person, or one sign-in of the person. */
  logout_token: string
}

/** A one-time link. */
export type LinkToken = {
  /** The part of the link after `#`. */
  token: string
}

/** The effect of a one-time link. */
export type Link = {
  /**
   * `invitation`: gives a role, and creates an account if there is none; `reset`: sets a new
   * password.
   */
  kind: 'invitation' | 'reset'
  /**
   * The address of the account. Null: whoever has the link chooses one, as the first operator does.
   */
  email: string | null
  /** The role that an invitation gives. */
  role: 'operator' | 'support' | 'administrator' | 'viewer' | null
  /** The name of the organization of that role. Null: the deployment. */
  organization: string | null
  /** When the link expires. Null: when it is used. */
  expires_at: string | null
}

/** A new person, or a new password. */
export type SetUp = {
  /** The part of the link after `#`. */
  token: string
  /** The new password. */
  password: string
  /** The name of a new person. */
  name?: string
  /** The address of a new person, if the link is for no address. */
  email?: string
}

/** A new password. All other sessions of the person end. */
export type PasswordChange = {
  /** The current password. */
  current: string
  /** The new password. */
  next: string
}

/** A secret for two-factor authentication. */
export type NewTotp = {
  /** The secret for the authenticator app. The server does not store it yet. */
  secret: string
  /** The same as an address for a QR code. */
  uri: string
}

/** Two-factor authentication for sign-in with the password. */
export type TotpChange = {
  /** The current password. */
  current: string
  /** The secret of `POST /account/totp`. Null: turn two-factor authentication off. */
  secret: string | null
  /** A code that the app shows for this secret. */
  code?: string
}

/** The recovery codes. */
export type RecoveryCodes = {
  /**
   * Recovery codes for sign-in without the device, each for one sign-in. They are shown only once.
   * Empty if two-factor authentication was turned off.
   */
  recovery_codes: string[]
}

/** The open sessions, by id. */
export type OpenSessions = {
  items: OpenSession[]
}

/** A browser in which a person has signed in. */
export type OpenSession = {
  /** Id of the session. */
  id: number
  /** How the browser names itself. */
  browser: string
  /** When the person signed in. */
  created_at: string
  /** When it was last used, to the minute. Null: never. */
  last_used_at: string | null
  /** When it ends automatically. */
  expires_at: string | null
  /** Whether single sign-on opened it. */
  is_sign_on: boolean
  /** Whether it is the session of this request. */
  is_own: boolean
}

/** The people, by id. */
export type People = {
  items: Person[]
}

/** A person who may sign in. */
export type Person = {
  /** Id of the account. */
  id: number
  /** The e-mail address, in lower case. */
  email: string
  /** The name. */
  name: string
  /** The roles: all of them, or those in the organization of the path. */
  roles: HeldRole[]
  /** Since when the person may not sign in. Null: the person may. */
  disabled_at: string | null
  /** Whether there is a password. */
  has_password: boolean
  /** Whether sign-in with the password requires a code (two-factor authentication). */
  has_totp: boolean
  /** Whether the person may sign in by single sign-on. */
  is_linked: boolean
  /** When the account was created. */
  created_at: string
  /** When the person last signed in. Null: never. */
  last_sign_in_at: string | null
}

/** The fields of a person that change. Roles that single sign-on gives stay. */
export type PersonPatch = {
  /**
   * A role in the whole deployment. `operator`: do everything. `support`: read everything. Null: no
   * role in the deployment; those in organizations stay.
   */
  role?: 'operator' | 'support' | null
  /**
   * Whether the server refuses sign-in to the person. Setting it ends all sessions. Tokens that the
   * person issued do not work while it is set.
   */
  is_disabled?: boolean
  /** The name of the person. */
  name?: string
}

/** A link for a new password. It works once, and replaces earlier ones. */
export type IssuedReset = {
  /**
   * The part of the link after `/setup#`, below the console’s address. It is shown only once. Give
   * it to that person alone.
   */
  secret: string
  /** When the link expires. */
  expires_at: string
}

/**
 * The fields of a person that change. An administrator disables and renames only people who have no
 * role elsewhere.
 */
export type OrganizationPersonPatch = {
  /**
   * A role in the organization. `administrator`: do everything in it, except change its limits.
   * `viewer`: read its map, objects, days, reports and usage. Null: no role in this organization.
   */
  role?: 'administrator' | 'viewer' | null
  /**
   * Whether the server refuses sign-in to the person. Setting it ends all sessions. Tokens that the
   * person issued do not work while it is set.
   */
  is_disabled?: boolean
  /** The name of the person. */
  name?: string
}

/** The open invitations, by id. */
export type Invitations = {
  items: Invitation[]
}

/**
 * A link by which somebody gets a role, and an account if there is none with this address. It works
 * once.
 */
export type Invitation = {
  /** Id of the invitation. */
  id: number
  /**
   * The address that it is for. Null: whoever has the link chooses one, as the first operator does.
   */
  email: string | null
  /** The role that it gives. */
  role: 'operator' | 'support' | 'administrator' | 'viewer'
  /** In this organization. Null: in the whole deployment. */
  organization: number | null
  /** The address of the person who invites. Null: the command line. */
  issued_by: string | null
  /** When it was created. */
  created_at: string
  /** When it expires. Null: never. */
  expires_at: string | null
}

/** A person to invite. */
export type NewInvitation = {
  /** The e-mail address, by which the person signs in. Upper and lower case are the same. */
  email: string
  /** A role in the whole deployment. `operator`: do everything. `support`: read everything. */
  role: 'operator' | 'support'
}

/** A new invitation. */
export type IssuedInvitation = {
  invitation: Invitation
  /**
   * The part of the link after `/setup#`, below the console’s address. It is shown only once. Give
   * it to that person alone.
   */
  secret: string
}

/** A person to invite to the organization. */
export type NewOrganizationInvitation = {
  /** The e-mail address, by which the person signs in. Upper and lower case are the same. */
  email: string
  /**
   * A role in the organization. `administrator`: do everything in it, except change its limits.
   * `viewer`: read its map, objects, days, reports and usage.
   */
  role: 'administrator' | 'viewer'
}

/** The settings for all people. */
export type AccessSettings = {
  /**
   * Whether people who sign in with a password need two-factor authentication. Without it, they can
   * only set it up.
   */
  requires_totp: boolean
}

/** The settings that change. */
export type AccessSettingsPatch = {
  /** Whether people who sign in with a password need two-factor authentication. */
  requires_totp?: boolean
}

/** The tokens, by id. */
export type Tokens = {
  items: Token[]
}

/** A token with which a program uses this API: `Authorization: Bearer <token>`. */
export type Token = {
  /** Id of the token. */
  id: number
  /** Its purpose. */
  name: string
  /** The role of the token. */
  role: 'operator' | 'support' | 'administrator' | 'viewer'
  /** In this organization. Null: in the whole deployment. */
  organization: number | null
  /**
   * Id of the token that issued it; it ends with that one. Null: a person or the command line
   * issued it.
   */
  issuer: number | null
  /**
   * Id of the person who issued it, directly or by tokens. It works as long as that person has
   * these rights. Null: the command line issued it.
   */
  issued_by: number | null
  /** Its first characters. */
  prefix: string
  /** Its last four characters. */
  last_four: string
  /** When it was issued. */
  created_at: string
  /** When it expires. Null: never. */
  expires_at: string | null
  /** When it was last used, to the minute. Null: never. */
  last_used_at: string | null
}

/**
 * A token to issue. It has no more rights than its issuer. If a token issues it, it does not
 * outlast that token.
 */
export type NewToken = {
  /** Its name, by which people know it. */
  name: string
  /** A role in the whole deployment. `operator`: do everything. `support`: read everything. */
  role: 'operator' | 'support'
  /** When it expires. Null or absent: never. */
  expires_at?: string | null
}

/** A new token. */
export type IssuedToken = {
  token: Token
  /** The token itself. It is shown only once. */
  secret: string
}

/**
 * A token to issue. It has no more rights than its issuer. If a token issues it, it does not
 * outlast that token.
 */
export type NewOrganizationToken = {
  /** Its name, by which people know it. */
  name: string
  /**
   * A role in the organization. `administrator`: do everything in it, except change its limits.
   * `viewer`: read its map, objects, days, reports and usage.
   */
  role: 'administrator' | 'viewer'
  /** When it expires. Null or absent: never. */
  expires_at?: string | null
}

/** The server and its configuration. */
export type Server = {
  /** Version of the server. */
  version: string
  /** The current time of the server. */
  now: string
  /**
   * The address of the public API, as printed at the start. Null: this process does not serve it.
   */
  api_url: string | null
  /** The address of the feed. Null: this process does not serve it. */
  feed_url: string | null
  /** The base map. */
  map: {
    /** Template of raster tiles with {z}, {x} and {y}. Null: none is configured. */
    tiles_url: string | null
    /**
     * Type of the PMTiles file that `/server/map.pmtiles` answers with: vector tiles of the
     * Protomaps basemap, or images. Null: there is no usable file.
     */
    tiles_file: 'vector' | 'raster' | null
    /** The attribution of the tiles, which the map must show. */
    attribution: string | null
  }
  /** Languages of the API’s messages. */
  languages: string[]
  /** Names of time zones. */
  time_zones: string[]
}

/** Organizations, by id. */
export type Organizations = {
  items: OrganizationSummary[]
}

/** An organization with today’s figures. */
export type OrganizationSummary = {
  /** Id of the organization. */
  id: number
  /** Its name. */
  name: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota: number | null
  /** Requests in any 10 seconds, over all its keys: 10 by default. */
  window_requests: number
  /** Whether the feed creates an object for an unknown ident. */
  create_objects: boolean
  /** How many objects it may have. Existing objects stay if the limit is lowered. */
  max_objects: number
  /**
   * How many geofences, routes and sites it may have together. Existing places stay if the limit is
   * lowered.
   */
  max_places: number
  /**
   * How many vertices its geofences and routes may have together: positions of rings and lines, and
   * waypoints. Existing places stay if the limit is lowered.
   */
  max_vertices: number
  /** Days for which positions are kept. Null: forever. */
  retention_days: number | null
  /** Hours without a packet after which an object has no signal: 24 by default. */
  signal_timeout_hours: number
  /** The IANA time zone of its days, unless a request names another: UTC by default. */
  time_zone: string
  /**
   * Longest gap between two positions within a trip, in minutes: 60 by default. An object can have
   * its own setting.
   */
  maximum_gap: number
  /**
   * Minutes by which the time of a position may be in the future: 10 by default. The server refuses
   * a later position.
   */
  future_tolerance: number
  /**
   * Days after which a position from the feed is refused, because the clock of its device must be
   * wrong: 365 by default. Imports accept positions of any age.
   */
  maximum_age: number
  /**
   * Whether an older position from the feed is moved by one or two rollovers of the week number of
   * GPS (1,024 weeks), if it is not too old then.
   */
  correct_rollover: boolean
  /**
   * Whether each API key that opens data needs a recipient and a purpose. A key without them,
   * issued before, keeps working, and cannot be rotated.
   */
  keys_need_purpose: boolean
  /** When it was created. */
  created_at: string
  /** When its settings were last changed. */
  updated_at: string
  /** How many objects it has. */
  objects: number
  /** How many of them have sent a packet that was accepted since 00:00 UTC. */
  objects_seen_today: number
  /** How many API keys are valid, neither revoked nor expired. */
  keys: number
  /** Requests with one of its keys since 00:00 UTC, refused ones too. */
  requests_today: number
  /** How many of them were refused because the rate window was full (429). */
  refused_today: number
  /**
   * The most that one object was charged since 00:00 UTC, rounded up. Null if there is no quota.
   */
  quota_used: number | null
  /** How many objects have less than 1 left of today’s quota. */
  objects_exhausted: number
  /**
   * The stored positions, as the server counted them after it last packed old ones or, if another
   * process packs, when somebody last looked. Null: the server is counting them, so ask again. In a
   * list: nobody has asked for this organization alone yet.
   */
  positions: {
    /** Positions in blocks. */
    packed: number
    /** Bytes of these blocks. */
    packed_bytes: number
    /** Positions older than two days that are still rows. */
    unpacked: number
    /** Bytes of these rows, without the index. */
    unpacked_bytes: number
    /** When they were counted. */
    counted_at: string
  } | null
}

/** An organization to create. */
export type NewOrganization = {
  /** Its name. */
  name: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit?: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language?: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription?: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota?: number | null
  /** Requests in any 10 seconds, over all its keys: 10 by default. */
  window_requests?: number
  /** Whether the feed creates an object for an unknown ident. */
  create_objects?: boolean
  /** How many objects it may have. Existing objects stay if the limit is lowered. */
  max_objects?: number
  /**
   * How many geofences, routes and sites it may have together. Existing places stay if the limit is
   * lowered.
   */
  max_places?: number
  /**
   * How many vertices its geofences and routes may have together: positions of rings and lines, and
   * waypoints. Existing places stay if the limit is lowered.
   */
  max_vertices?: number
  /** Days for which positions are kept. Null: forever. */
  retention_days?: number | null
  /** Hours without a packet after which an object has no signal: 24 by default. */
  signal_timeout_hours?: number
  /** The IANA time zone of its days, unless a request names another: UTC by default. */
  time_zone?: string
  /**
   * Longest gap between two positions within a trip, in minutes: 60 by default. An object can have
   * its own setting.
   */
  maximum_gap?: number
  /**
   * Minutes by which the time of a position may be in the future: 10 by default. The server refuses
   * a later position.
   */
  future_tolerance?: number
  /**
   * Days after which a position from the feed is refused, because the clock of its device must be
   * wrong: 365 by default. Imports accept positions of any age.
   */
  maximum_age?: number
  /**
   * Whether an older position from the feed is moved by one or two rollovers of the week number of
   * GPS (1,024 weeks), if it is not too old then.
   */
  correct_rollover?: boolean
  /**
   * Whether each API key that opens data needs a recipient and a purpose. A key without them,
   * issued before, keeps working, and cannot be rotated.
   */
  keys_need_purpose?: boolean
}

/** An owner of a fleet and of its keys. */
export type Organization = {
  /** Id of the organization. */
  id: number
  /** Its name. */
  name: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota: number | null
  /** Requests in any 10 seconds, over all its keys: 10 by default. */
  window_requests: number
  /** Whether the feed creates an object for an unknown ident. */
  create_objects: boolean
  /** How many objects it may have. Existing objects stay if the limit is lowered. */
  max_objects: number
  /**
   * How many geofences, routes and sites it may have together. Existing places stay if the limit is
   * lowered.
   */
  max_places: number
  /**
   * How many vertices its geofences and routes may have together: positions of rings and lines, and
   * waypoints. Existing places stay if the limit is lowered.
   */
  max_vertices: number
  /** Days for which positions are kept. Null: forever. */
  retention_days: number | null
  /** Hours without a packet after which an object has no signal: 24 by default. */
  signal_timeout_hours: number
  /** The IANA time zone of its days, unless a request names another: UTC by default. */
  time_zone: string
  /**
   * Longest gap between two positions within a trip, in minutes: 60 by default. An object can have
   * its own setting.
   */
  maximum_gap: number
  /**
   * Minutes by which the time of a position may be in the future: 10 by default. The server refuses
   * a later position.
   */
  future_tolerance: number
  /**
   * Days after which a position from the feed is refused, because the clock of its device must be
   * wrong: 365 by default. Imports accept positions of any age.
   */
  maximum_age: number
  /**
   * Whether an older position from the feed is moved by one or two rollovers of the week number of
   * GPS (1,024 weeks), if it is not too old then.
   */
  correct_rollover: boolean
  /**
   * Whether each API key that opens data needs a recipient and a purpose. A key without them,
   * issued before, keeps working, and cannot be rotated.
   */
  keys_need_purpose: boolean
  /** When it was created. */
  created_at: string
  /** When its settings were last changed. */
  updated_at: string
}

/**
 * The settings that change. An administrator changes name, distance_unit, language, create_objects,
 * signal_timeout_hours, time_zone, maximum_gap, future_tolerance, maximum_age, correct_rollover,
 * keys_need_purpose. With any other setting it gets 403, and nothing changes.
 */
export type OrganizationPatch = {
  /** Its name. */
  name?: string
  /** Unit of odometer, mileage and speeds in its answers. */
  distance_unit?: 'km' | 'mi'
  /** Language of messages, unless a request asks for another. */
  language?: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  /** Whether it may use the position endpoints. */
  subscription?: 'active' | 'inactive' | 'suspended'
  /** Charges per object and UTC day. Null: unlimited. */
  daily_quota?: number | null
  /** Requests in any 10 seconds, over all its keys: 10 by default. */
  window_requests?: number
  /** Whether the feed creates an object for an unknown ident. */
  create_objects?: boolean
  /** How many objects it may have. Existing objects stay if the limit is lowered. */
  max_objects?: number
  /**
   * How many geofences, routes and sites it may have together. Existing places stay if the limit is
   * lowered.
   */
  max_places?: number
  /**
   * How many vertices its geofences and routes may have together: positions of rings and lines, and
   * waypoints. Existing places stay if the limit is lowered.
   */
  max_vertices?: number
  /** Days for which positions are kept. Null: forever. */
  retention_days?: number | null
  /** Hours without a packet after which an object has no signal: 24 by default. */
  signal_timeout_hours?: number
  /** The IANA time zone of its days, unless a request names another: UTC by default. */
  time_zone?: string
  /**
   * Longest gap between two positions within a trip, in minutes: 60 by default. An object can have
   * its own setting.
   */
  maximum_gap?: number
  /**
   * Minutes by which the time of a position may be in the future: 10 by default. The server refuses
   * a later position.
   */
  future_tolerance?: number
  /**
   * Days after which a position from the feed is refused, because the clock of its device must be
   * wrong: 365 by default. Imports accept positions of any age.
   */
  maximum_age?: number
  /**
   * Whether an older position from the feed is moved by one or two rollovers of the week number of
   * GPS (1,024 weeks), if it is not too old then.
   */
  correct_rollover?: boolean
  /**
   * Whether each API key that opens data needs a recipient and a purpose. A key without them,
   * issued before, keeps working, and cannot be rotated.
   */
  keys_need_purpose?: boolean
}

/** Keys or tokens by id, revoked and expired ones too. */
export type Credentials = {
  items: Credential[]
}

/** An API key or a feed token. The server does not store the secret. */
export type Credential = {
  /** Its id. */
  id: number
  /** Its name. */
  name: string
  /** Its first characters. */
  prefix: string
  /** Its last four characters. */
  last_four: string
  /** When it was issued. */
  created_at: string
  /** When it expires. Null: never. */
  expires_at: string | null
  /** When it was revoked. Null: it was not. */
  revoked_at: string | null
  /** When it was last used, to the minute. Null: never. */
  last_used_at: string | null
  /**
   * The data and operations that an API key has access to. Null: full access. A feed token has
   * none.
   */
  scope: {
    /** The operations that the key can use. Null: all. */
    operations: ('objects' | 'detail' | 'positions' | 'changes' | 'records' | 'geofences' | 'routes' | 'sites' | 'coverage')[] | null
    /** The objects that the key can read. Null: all. */
    objects: number[] | null
    /**
     * The first `time_device` that the key shows; a date means its beginning in UTC. Null: any.
     */
    data_from: string | null
    /** The last `time_device` that the key shows; a date means its end in UTC. Null: any. */
    data_until: string | null
    /** The attributes of the catalogue that the key shows. Null: all public ones. */
    attributes?: string[] | null
    /**
     * The requests of each rate window that the key may use, at most those of its organization.
     * Null: all of them. An administrator of the organization does not raise it.
     */
    window_share: number | null
  } | null
  /** How the simulated fleet answers a test key. Null: it is not a test key. */
  scenario: 'standard' | 'suspended' | 'expired' | 'exhausted' | 'limited' | 'unavailable' | 'cut' | 'slow' | 'stale' | null
  /**
   * The app that sends with a feed token, which decides its units. Null: those of the formats. An
   * API key has none.
   */
  client: 'traccar-client' | 'osmand-app' | 'gpslogger' | 'owntracks' | null
  /**
   * For whom it is: who gets the data. Needed if `keys_need_purpose` of the organization is on.
   * Null: not known.
   */
  recipient: string | null
  /**
   * The purpose for which the data are given. Needed if `keys_need_purpose` of the organization is
   * on. Null: not known.
   */
  purpose: string | null
  /**
   * Whether it has no recipient or purpose although its organization requires them. It works, but
   * cannot be rotated.
   */
  lacks_purpose: boolean
  /** Requests with it since 00:00 UTC. */
  requests_today: number
  /** Requests with it in the last 30 days, today among them. */
  requests_30_days: number
}

/** An API key to issue. */
export type NewKey = {
  /** Its name, by which people know it. */
  name: string
  /**
   * The scenario of a test key: how the simulated fleet answers. Null or absent: it is not a test
   * key.
   */
  scenario?: 'standard' | 'suspended' | 'expired' | 'exhausted' | 'limited' | 'unavailable' | 'cut' | 'slow' | 'stale' | null
  /**
   * For whom it is: who gets the data. Needed if `keys_need_purpose` of the organization is on.
   * Null: not known.
   */
  recipient?: string | null
  /**
   * The purpose for which the data are given. Needed if `keys_need_purpose` of the organization is
   * on. Null: not known.
   */
  purpose?: string | null
  /** When it expires. Null or absent: never. */
  expires_at?: string | null
  /** The data and operations that the key has access to. Null or absent: full access. */
  scope?: {
    /** The operations that the key can use. Null: all. */
    operations?: ('objects' | 'detail' | 'positions' | 'changes' | 'records' | 'geofences' | 'routes' | 'sites' | 'coverage')[] | null
    /** The objects that the key can read. Null: all. */
    objects?: number[] | null
    /**
     * The first `time_device` that the key shows; a date means its beginning in UTC. Null: any.
     */
    data_from?: string | null
    /** The last `time_device` that the key shows; a date means its end in UTC. Null: any. */
    data_until?: string | null
    /** The attributes of the catalogue that the key shows. Null: all public ones. */
    attributes?: string[] | null
    /**
     * The requests of each rate window that the key may use, at most those of its organization.
     * Null: all of them. An administrator of the organization does not raise it.
     */
    window_share?: number | null
  } | null
}

/** A new key or token. */
export type IssuedCredential = {
  credential: Credential
  /** The secret itself. It is shown only once. */
  secret: string
}

/** A key to issue in place of another. */
export type Rotation = {
  /** Hours for which the old one stays valid too. */
  overlap_hours: number
}

/** A feed token to issue. */
export type NewFeedToken = {
  /** Its name, by which people know it. */
  name: string
  /**
   * The app that sends with it, which decides the units of its speeds and accuracies. Null or
   * absent: the units of the formats.
   */
  client?: 'traccar-client' | 'osmand-app' | 'gpslogger' | 'owntracks' | null
  /** When it expires. Null or absent: never. */
  expires_at?: string | null
}

/** The rules in their order: the first one that matches counts. */
export type RoutingRules = {
  items: RoutingRule[]
}

/** A rule that assigns new idents of a feed token of the deployment to organizations. */
export type RoutingRule = {
  /** Its id. */
  id: number
  /**
   * The compared part of a packet: `ident`; `prefix`, the beginning of the ident; `group`, the id
   * or the name of the group of a Traccar device; `attribute`, an attribute of the packet or the
   * device.
   */
  condition: 'ident' | 'prefix' | 'group' | 'attribute'
  /** The name of the attribute, only with the condition `attribute`. */
  attribute: string | null
  /** The values. One match is enough. */
  any_of: string[]
  /**
   * The organizations that get its packets, by their ids. With two, each gets an object of its own.
   */
  organizations: number[]
  /**
   * Whether the organizations own the ident from its first packet on, and get an object. Otherwise
   * the ident is on their lists of refused idents.
   */
  create_objects: boolean
  /** When it was added. */
  created_at: string
  /** Number of idents that it has assigned to organizations since it was added. */
  placed_idents: number
  /**
   * When it last gave an ident to organizations or, if it creates no objects, when a packet last
   * matched it. Null: never, so it may be wrong, or another rule comes before it.
   */
  last_placed_at: string | null
}

/** A rule to add. */
export type NewRoutingRule = {
  /**
   * The compared part of a packet: `ident`; `prefix`, the beginning of the ident; `group`, the id
   * or the name of the group of a Traccar device; `attribute`, an attribute of the packet or the
   * device.
   */
  condition: 'ident' | 'prefix' | 'group' | 'attribute'
  /** The name of the attribute, only with the condition `attribute`. */
  attribute?: string | null
  /** The values. One match is enough. */
  any_of: string[]
  /**
   * The organizations that get its packets, by their ids. With two, each gets an object of its own.
   */
  organizations: number[]
  /**
   * Whether the organizations own the ident from its first packet on, and get an object. Otherwise
   * the ident is on their lists of refused idents.
   */
  create_objects?: boolean
  /** The id of the rule before which it is put. Null or absent: the end. */
  before?: number | null
}

/** The new rank of a rule. */
export type RuleMove = {
  /** The id of the rule before which it is put. Null or absent: the end. */
  before?: number | null
}

/** A packet for which the rules are tried. Nothing is stored. */
export type RoutingTrial = {
  /** The identifier that the tracker sends. */
  ident: string
  /** The id or the name of the group of its device. Null or absent: none. */
  group?: string | null
  /** The name of an attribute that it has. Null or absent: none. */
  attribute?: string | null
  /** The value of the attribute. */
  value?: string | null
}

/** Where the packets of an ident go. */
export type TriedRouting = {
  /** The identifier. */
  ident: string
  /** The organizations that own it already. Rules are not asked then. */
  owners: number[]
  /** The id of the rule that matches. Null: none does, or none is asked. */
  rule: number | null
  /** The organizations that its packets go to. Empty: it waits. */
  organizations: number[]
}

/** The 10,000 idents that sent last, the newest first. */
export type WaitingIdents = {
  items: ({
    /** The identifier that the tracker sends. */
    ident: string
    /** The format of its last packet, as in the path of the feed. */
    format: string
    /** How many packets have come since it was put on the list. They are not stored. */
    packets: number
    /** When the first packet came. */
    first_at: string
    /** When the last packet came. */
    last_at: string
    /** Where the last packet was sent from, degrees. Null: it had no fix. */
    latitude: number | null
    /** Degrees. */
    longitude: number | null
    /** The name of its device. Null: the sender gives no name. */
    name: string | null
    /** The name or the id of the group of its device. */
    group: string | null
    /** The id of the last rule that was tried and did not match. Null: there was no rule. */
    rule: number | null
  })[]
}

/** The idents that sent last, the newest first: at most 100 of each organization. */
export type AllRefusedIdents = {
  items: ({
    /** The id of the organization. */
    organization: number
    /** The identifier that the tracker sends. */
    ident: string
    /** Why the last packet did not create an object. */
    reason: 'unknown_ident' | 'foreign_ident' | 'limit_of_objects' | 'limit_of_new_objects'
    /** The same as a sentence. */
    message: string
    /** How many packets have come since the ident was put on the list. */
    packets: number
    /** When the last packet came. */
    last_at: string
    /** Where the last packet was sent from, degrees. Null: it had no fix. */
    latitude: number | null
    /** Degrees. */
    longitude: number | null
  })[]
}

/**
 * An ident and the organizations to assign it to. An organization without an object of this ident
 * gets one.
 */
export type Assignment = {
  /** The identifier that the tracker sends. */
  ident: string
  /**
   * The organizations that get its packets, by their ids. With two, each gets an object of its own.
   */
  organizations: number[]
  /**
   * If other organizations own the ident: `refuse` (the default), `share` (they keep it) or `move`
   * (they lose it, but keep their objects).
   */
  if_owned?: 'refuse' | 'share' | 'move'
}

/** An ident and its owners. */
export type OwnedIdent = {
  /** The identifier that the tracker sends. */
  ident: string
  /** The organizations that own it, by their ids. */
  organizations: number[]
  /**
   * Whether the server did not know it: no organization owned it, and no packet with it was
   * waiting. Then check its spelling.
   */
  was_unknown: boolean
}

/** An ident. */
export type Ident = {
  /** The identifier that the tracker sends. */
  ident: string
}

/**
 * The settings of an API key that change. Data that was already given keeps the recipient and the
 * purpose of that time.
 */
export type KeyPatch = {
  /**
   * For whom it is: who gets the data. Needed if `keys_need_purpose` of the organization is on.
   * Null: not known.
   */
  recipient?: string | null
  /**
   * The purpose for which the data are given. Needed if `keys_need_purpose` of the organization is
   * on. Null: not known.
   */
  purpose?: string | null
  /** The data and operations that the key has access to. Null or absent: full access. */
  scope?: {
    /** The operations that the key can use. Null: all. */
    operations?: ('objects' | 'detail' | 'positions' | 'changes' | 'records' | 'geofences' | 'routes' | 'sites' | 'coverage')[] | null
    /** The objects that the key can read. Null: all. */
    objects?: number[] | null
    /**
     * The first `time_device` that the key shows; a date means its beginning in UTC. Null: any.
     */
    data_from?: string | null
    /** The last `time_device` that the key shows; a date means its end in UTC. Null: any. */
    data_until?: string | null
    /** The attributes of the catalogue that the key shows. Null: all public ones. */
    attributes?: string[] | null
    /**
     * The requests of each rate window that the key may use, at most those of its organization.
     * Null: all of them. An administrator of the organization does not raise it.
     */
    window_share?: number | null
  } | null
}

/** Webhooks, by id. */
export type Webhooks = {
  items: Webhook[]
}

/** An endpoint that gets the changes of an organization. */
export type Webhook = {
  /** Id of the webhook. */
  id: number
  /** Where the server sends changes. */
  url: string
  /** The chosen types of changes. Null: all. */
  types: ('positions' | 'states' | 'objects' | 'geofences' | 'routes' | 'sites' | 'trips' | 'stops' | 'visits' | 'levels')[] | null
  /** The chosen objects. Null: all. */
  ids: number[] | null
  /**
   * Additional fields of positions. `quality`: those of the fix. `exact`: the counters in
   * millimeters and milliseconds. `attributes`: those of the catalogue, of states too. Null: none.
   */
  include: ('quality' | 'exact' | 'attributes')[] | null
  /** Where deliveries start, and where they start again after a resync. */
  from: 'snapshot' | 'history' | 'now'
  /** `failing`: the last try failed, and the delivery is tried again. `off`: nothing is sent. */
  state: 'on' | 'failing' | 'off'
  /** When it was switched off. Null: it is on. */
  off_at: string | null
  /** Why it is off. `failing`: one delivery failed for three days. Null: it is on. */
  off_reason: 'operator' | 'failing' | null
  /** The first of the tries that failed in a row. Null: none failed. */
  failing_since: string | null
  /** Why the last try of the pending delivery failed. Null: it did not. */
  failure: string | null
  /** When the pending delivery is tried again. Null: at once, or never. */
  next_try_at: string | null
  /**
   * When a delivery last arrived, even if a later one fails. Null: none of the kept deliveries has
   * arrived.
   */
  last_delivered_at: string | null
  /** Until when the secret before the last rotation signs too. Null: there was no rotation. */
  old_secret_until: string | null
  /** When it was registered. */
  created_at: string
  /** When its settings last changed. */
  updated_at: string
}

/** The newest deliveries, the newest first. */
export type WebhookDeliveries = {
  items: WebhookDelivery[]
}

/** A delivery, and its last try. */
export type WebhookDelivery = {
  /** Number of the delivery within its webhook. */
  number: number
  /** The `type` of the message. */
  kind: 'changes' | 'resync' | 'test'
  /** Its `webhook-id`, the same on every try. */
  message_id: string
  /** How many entries its page has. */
  entries: number
  /** When it was created. */
  created_at: string
  /** How often it was sent. */
  tries: number
  /** The last try. Null: it was not tried yet. */
  tried_at: string | null
  /** Status of the last answer. Null: there was no answer. */
  status: number | null
  /** Why the last try failed. Null: it did not. */
  failure: string | null
  /** Milliseconds until the last answer or failure. */
  duration_ms: number | null
  /** When it first arrived. Null: it has not. */
  delivered_at: string | null
  /** When it is tried again. Null: at once, or never. */
  next_try_at: string | null
  /** Whether it is about to be sent once, out of order. */
  is_wanted: boolean
}

/** A webhook to register. */
export type NewWebhook = {
  /** Where the server sends changes. */
  url: string
  /** The chosen types of changes. Null: all. */
  types?: ('positions' | 'states' | 'objects' | 'geofences' | 'routes' | 'sites' | 'trips' | 'stops' | 'visits' | 'levels')[] | null
  /** The chosen objects. Null: all. */
  ids?: number[] | null
  /**
   * Additional fields of positions. `quality`: those of the fix. `exact`: the counters in
   * millimeters and milliseconds. `attributes`: those of the catalogue, of states too. Null: none.
   */
  include?: ('quality' | 'exact' | 'attributes')[] | null
  /** Where deliveries start, and where they start again after a resync. */
  from?: 'snapshot' | 'history' | 'now'
}

/** A webhook with its new secret. */
export type IssuedWebhook = {
  webhook: Webhook
  /** The secret that signs deliveries, `whsec_…`. It is shown only once. */
  secret: string
}

/**
 * The settings that change. With other types, ids or included fields, the webhook starts again with
 * a resync.
 */
export type WebhookPatch = {
  /** Where the server sends changes. */
  url?: string
  /** The chosen types of changes. Null: all. */
  types?: ('positions' | 'states' | 'objects' | 'geofences' | 'routes' | 'sites' | 'trips' | 'stops' | 'visits' | 'levels')[] | null
  /** The chosen objects. Null: all. */
  ids?: number[] | null
  /**
   * Additional fields of positions. `quality`: those of the fix. `exact`: the counters in
   * millimeters and milliseconds. `attributes`: those of the catalogue, of states too. Null: none.
   */
  include?: ('quality' | 'exact' | 'attributes')[] | null
  /** Where deliveries start, and where they start again after a resync. */
  from?: 'snapshot' | 'history' | 'now'
  /** Whether changes are sent. */
  on?: boolean
}

/** How an organization used the API. If other processes answer requests, up to a minute old. */
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
    /** Charge of today, rounded up. */
    used: number
    /** Remaining quota of today, rounded down. Null: unlimited. */
    remaining: number | null
  })[]
  /** How many objects were charged today, also those that are not among the items. */
  charged: number
}

/** Rows by day, key and object. */
export type Disclosures = {
  items: Disclosure[]
  /** Whether there are more than `limit`. Then ask for fewer days, or for a file. */
  has_more: boolean
}

/** Data of one kind that a key read of an object on a day. */
export type Disclosure = {
  /** The day in UTC. */
  date: string
  /** Id of the API key. */
  key: number
  /** Its name. */
  key_name: string | null
  /** The recipient that the key had when the data was given. */
  recipient: string | null
  /** The purpose that the key had then. */
  purpose: string | null
  /** Id of the object. */
  object: number
  /** Its name. Null: it was deleted. */
  name: string | null
  /** Its ident. Null: it was deleted. */
  ident: string | null
  /** The kind of data: the name that it has in a scope. */
  data: 'objects' | 'detail' | 'positions' | 'changes' | 'records' | 'geofences' | 'routes' | 'sites' | 'coverage'
  /** Requests whose answers had data of the object. */
  requests: number
  /** Positions, states, records and days of the object in these answers. */
  rows: number
}

/** By recipient, purpose and kind of data. */
export type Recipients = {
  items: Recipient[]
}

/** The data of one kind that a recipient was given for a purpose. */
export type Recipient = {
  /** The recipient that the key had when the data was given. */
  recipient: string | null
  /** The purpose that the key had then. */
  purpose: string | null
  /** The kind of data: the name that it has in a scope. */
  data: 'objects' | 'detail' | 'positions' | 'changes' | 'records' | 'geofences' | 'routes' | 'sites' | 'coverage'
  /** Number of API keys that read the data. */
  keys: number
  /** Number of objects. */
  objects: number
  /** The first day in UTC. */
  first_date: string
  /** The last day in UTC. */
  last_date: string
  /** Positions, states, records and days in the answers. */
  rows: number
}

/** Objects, by id. */
export type FleetObjects = {
  items: FleetObject[]
}

/** A tracked vehicle or asset, its settings, and where it is. */
export type FleetObject = {
  /** Id of the object. */
  id: number
  /** Display name. */
  name: string
  /** The device’s own id, an IMEI or similar, unique in the organization. */
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
   * The offset that is added to the odometer of a device’s sensor, in the distance unit of the
   * organization.
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
  /** When it was last stopped. */
  time_last_stop: string | null
  /**
   * How it moves now. `no_signal`: the server accepted no packet within `signal_timeout_hours` of
   * the organization. Null: its packets do not say.
   */
  motion: 'moving' | 'idle' | 'stopped' | 'no_signal' | null
  /** Degrees. */
  latitude: number | null
  /** Degrees. */
  longitude: number | null
  /** Meters. */
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
  /** Distance of the current or last trip, in the distance unit of the organization. */
  mileage: number | null
  /** Latest known address. */
  address: string | null
}

/** How positions are accepted and movement is detected. */
export type Accuracy = {
  /**
   * IANA name of the time zone in which times that the device sends without an offset are read.
   */
  device_timezone: string
  /** Highest horizontal dilution of precision of a position that is accepted. */
  maximum_hdop: number
  /**
   * Largest accuracy in meters of a position that is accepted, as phones send it: 200 by default.
   * The public API does not show it.
   */
  maximum_accuracy: number
  /** Minimum distance in meters between two positions that are both accepted. */
  minimum_difference_point: number
  /** Minimum GPS quality level of a position that is accepted. */
  minimum_gps_level: number
  /** Speed in km/h that separates idling from a stop. */
  idle_speed_threshold: number
  /** Speed in km/h from which an object counts as moving. */
  minimum_moving_speed: number
  /** The source of distances. */
  distance_source: 'gps' | 'odometer'
  /** How stops are detected. */
  stop_detection_method: 'speed' | 'ignition'
  /**
   * Longest gap between two positions within a trip, in minutes. Null: the setting of the
   * organization.
   */
  maximum_gap: number | null
}

/** An object to create. */
export type NewObject = {
  /** Display name. */
  name: string
  /** The device’s own id, an IMEI or similar, unique in the organization. */
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
   * The offset that is added to the odometer of a device’s sensor, in the distance unit of the
   * organization.
   */
  odometer_offset?: number
  accuracy?: AccuracyPatch
}

/** The accuracy settings that change. */
export type AccuracyPatch = {
  /**
   * IANA name of the time zone in which times that the device sends without an offset are read.
   */
  device_timezone?: string
  /** Highest horizontal dilution of precision of a position that is accepted. */
  maximum_hdop?: number
  /**
   * Largest accuracy in meters of a position that is accepted, as phones send it: 200 by default.
   * The public API does not show it.
   */
  maximum_accuracy?: number
  /** Minimum distance in meters between two positions that are both accepted. */
  minimum_difference_point?: number
  /** Minimum GPS quality level of a position that is accepted. */
  minimum_gps_level?: number
  /** Speed in km/h that separates idling from a stop. */
  idle_speed_threshold?: number
  /** Speed in km/h from which an object counts as moving. */
  minimum_moving_speed?: number
  /** The source of distances. */
  distance_source?: 'gps' | 'odometer'
  /** How stops are detected. */
  stop_detection_method?: 'speed' | 'ignition'
  /**
   * Longest gap between two positions within a trip, in minutes. Null: the setting of the
   * organization.
   */
  maximum_gap?: number | null
}

/** The settings that change. Settings of `accuracy` that are left out stay. */
export type ObjectPatch = {
  /** Display name. */
  name?: string
  /** The device’s own id, an IMEI or similar, unique in the organization. */
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
   * The offset that is added to the odometer of a device’s sensor, in the distance unit of the
   * organization.
   */
  odometer_offset?: number
  /**
   * When the tracker with the given `ident` was taken out of the object that has this ident, and
   * put into this one. Its positions since then follow, and late packets go to the object that had
   * the tracker at their time.
   */
  since?: string
  /** The ident that the other object gets instead. Null or left out: `no-tracker-` with its id. */
  former_ident?: string | null
  accuracy?: AccuracyPatch
}

/** Why an object does not move, and what is known of its packets. */
export type Diagnosis = {
  /** Id of the object. */
  id: number
  /** Its ident. */
  ident: string
  /**
   * How it moves now. `no_signal`: the server accepted no packet within `signal_timeout_hours` of
   * the organization. Null: its packets do not say.
   */
  motion: 'moving' | 'idle' | 'stopped' | 'no_signal' | null
  /** When its last packet came, accepted or not. Null: never. */
  last_packet_at: string | null
  /** The time of its last position. Null: there is none. */
  last_position_at: string | null
  /** When its last packet came that was not accepted. */
  last_reject_at: string | null
  /** Idents that send and look like its own, the newest packet first. */
  similar_idents: string[]
  /**
   * When a valid feed token of the organization or of the deployment was last used, to the minute.
   */
  token_used_at: string | null
  /** The causes in the order in which to look for them. Empty: nothing keeps it from moving. */
  causes: ({
    /** The cause as a word. */
    cause: 'rejected' | 'clock' | 'retention' | 'similar_ident' | 'no_token' | 'silent_sender' | 'jump' | 'noise' | 'ownership' | 'silent_device'
    /** The same as sentences, with what to do. */
    message: string
  })[]
}

/**
 * The last packets of an object that were not accepted, or that lost some of its values: ten of
 * each, the newest first.
 */
export type Rejects = {
  items: ({
    /** When the packet arrived. Null if it is not a valid date, as the next field. */
    time_server: string | null
    /** Device time of the position. */
    time_device: string | null
    /** Why it was not accepted, as a word. */
    reason: string
    /** The same as a sentence. */
    message: string
    /**
     * Whether a position of that moment is stored nevertheless: some values could not be read, or
     * another packet was better.
     */
    stored: boolean
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
    /** The identifier that the tracker sends. */
    ident: string
    /** Why the last packet did not create an object. */
    reason: 'unknown_ident' | 'foreign_ident' | 'limit_of_objects' | 'limit_of_new_objects'
    /** The same as a sentence. */
    message: string
    /** How many packets have come since the ident was put on the list. */
    packets: number
    /** When the last packet came. */
    last_at: string
    /** Where the last packet was sent from, degrees. Null: it had no fix. */
    latitude: number | null
    /** Degrees. */
    longitude: number | null
  })[]
}

/** The first 100 objects whose last packets were refused because of their time. */
export type WrongClocks = {
  items: ({
    /** The object. */
    id: number
    /** Its ident. */
    ident: string
    /** Its name. */
    name: string
    /** Its packets that were refused because of their time, today or yesterday (UTC). */
    packets: number
    /** When the last of them came. */
    time_server: string | null
    /** The time that it had. */
    time_device: string | null
    /** Why it was refused. */
    reason: 'in_future' | 'implausible_past'
    /** The same as a sentence. */
    message: string
  })[]
}

/**
 * The track of an object in a range of time. Its totals follow the rules of `GET /days` of the
 * public API: a leg belongs to the range in which it ends.
 */
export type Track = {
  /** By time, ascending. */
  points: ([number, number, number, number | null, number | null, 'moving' | 'idle' | 'stopped' | null, number | null])[]
  measures: ({
    /** Its name. */
    label: string
    /** Its unit. Null: it has none. */
    unit: string | null
    /** In the order of the points. */
    values: (number | null)[]
  })[]
  attributes: ({
    /** Its name in the catalogue. */
    name: string
    /** Display name. */
    label: string
    /** Its unit. Null: it has none. */
    unit: string | null
    /** In the order of the points. */
    values: (number | null)[]
  })[]
  texts: {
    /** Its name in the catalogue. */
    name: string
    /** Display name. */
    label: string
    /** By time, ascending. */
    changes: [number, string][]
  }[]
  /**
   * Whether the range has more positions than were asked for. The answer then has the first ones.
   */
  truncated: boolean
  /** Positions that history shows. */
  positions: number
  /** Distance in the distance unit of the organization. */
  distance: number
  /** Time in which it moved. */
  moving_seconds: number
  /** Time that it was idle. */
  idle_seconds: number
  levels: ({
    /** Its name in the catalogue. */
    name: string
    /** Display name. */
    label: string
    /** Its unit. Null: it has none. */
    unit: string | null
    /** Its use: first - last + filled - drained. */
    used: number
    /** Its rises beyond the threshold. */
    filled: number
    /** Its falls beyond the threshold. */
    drained: number
  })[]
}

/** Accuracy settings to try. */
export type PreviewAsked = {
  /** Start of the range on which to try the settings. */
  from: string
  /** End of the range, at most 7 days later. */
  to: string
  accuracy?: AccuracyPatch
}

/**
 * The effect of accuracy settings on stored positions. Packets that earlier settings rejected are
 * not stored and cannot come back.
 */
export type Preview = {
  before: PreviewOutcome
  after: PreviewOutcome
  /**
   * Whether the range has more positions than are tried (100,000). The first ones are tried then.
   */
  truncated: boolean
}

/** The results of a day under some settings. */
export type PreviewOutcome = {
  /** Positions that history shows. */
  positions: number
  /** Distance in the distance unit of the organization. */
  distance: number
  /** Time in which it moved. */
  moving_seconds: number
  /** Time that it was idle. */
  idle_seconds: number
  stops: Stand[]
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
  /** The line that would be shown. */
  line: [number, number][]
}

/** A stop of two minutes or more. */
export type Stand = {
  /** When it stopped. */
  from: string
  /** When it moved again. Null: it was still stopped at the end of the range. */
  to: string | null
  /** With the engine running, or not. */
  motion: 'idle' | 'stopped'
  /** Degrees. */
  latitude: number
  /** Degrees. */
  longitude: number
}

/**
 * Where objects are. The first event has all that have a position, the others have those that
 * changed.
 */
export type LiveObjects = {
  items: ([number, number, number, number | null, number | null, 'moving' | 'idle' | 'stopped' | 'no_signal' | null, number])[]
}

/** A page of trips. */
export type Trips = {
  /** By object id, then by start. */
  items: Trip[]
  /**
   * The commit time up to which records are derived. Null: they are being derived for the first
   * time, and the items are not all.
   */
  derived_until: string | null
  /**
   * The objects of the organization whose stored positions are to be folded again. Their records
   * follow.
   */
  recomputing: number
  /**
   * The first 20 objects and places of the organization whose records cannot be derived. They keep
   * the records that they have. The server tries again, also when they change.
   */
  failures: {
    /** `object`, `geofence` or `site`. */
    kind: string
    /** Its id. */
    id: number
    /** The last attempt. */
    failed_at: string
    /** The fault. */
    error: string
  }[]
  /** The `cursor` of the next page. Null: there is none. */
  next: string | null
}

/**
 * A trip of an object: from the position where its first distance is counted to the first position
 * at a standstill after the last counted distance.
 */
export type Trip = {
  /** Id of the trip. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The position from which its first distance was counted. */
  start_time: string
  /** Degrees (WGS 84). */
  start_latitude: number
  /** Degrees (WGS 84). */
  start_longitude: number
  /** Address of the start, from its packet or of its coordinates. Null if unknown. */
  start_address: string | null
  /** Odometer at the start, in the distance unit of the organization. */
  start_odometer: number | null
  /** Engine hours at the start. */
  start_engine_hours: number | null
  /** The first position at a standstill after its last counted distance. Null while it is open. */
  end_time: string | null
  /** Degrees (WGS 84). */
  end_latitude: number | null
  /** Degrees (WGS 84). */
  end_longitude: number | null
  /** Address of the end, from its packet or of its coordinates. Null if unknown. */
  end_address: string | null
  /** Odometer at the end. */
  end_odometer: number | null
  /** Engine hours at the end. */
  end_engine_hours: number | null
  /**
   * The exact difference of the odometer since the end of the trip before, rounded once. Null
   * without an odometer.
   */
  distance: number | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Time in motion, in whole seconds. */
  moving_time: number
  /** Time at a standstill with the engine on, in whole seconds. */
  idle_time: number
  /**
   * The duration of a trip without a signal, of which only the two ends are known. It is neither
   * moving, idle nor stopped. 0 for any other trip. In whole seconds.
   */
  silent_time: number
  /**
   * The highest speed of its plausible positions, including those that the history leaves out.
   * Without any, the highest average speed of its legs of more than 30 seconds. Never below
   * `average_speed`, and at most 250 km/h. Noise of a parked device does not count. Null if
   * unknown.
   */
  max_speed: number | null
  /** Distance divided by duration. Null if one of them is missing. */
  average_speed: number | null
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** The longest time between two positions, in whole seconds. */
  longest_gap: number
  /** Whether it is still in progress. Its end is then null. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
}

/** A page of stops. */
export type Stops = {
  /** By object id, then by start. */
  items: Stop[]
  /**
   * The commit time up to which records are derived. Null: they are being derived for the first
   * time, and the items are not all.
   */
  derived_until: string | null
  /**
   * The objects of the organization whose stored positions are to be folded again. Their records
   * follow.
   */
  recomputing: number
  /**
   * The first 20 objects and places of the organization whose records cannot be derived. They keep
   * the records that they have. The server tries again, also when they change.
   */
  failures: {
    /** `object`, `geofence` or `site`. */
    kind: string
    /** Its id. */
    id: number
    /** The last attempt. */
    failed_at: string
    /** The fault. */
    error: string
  }[]
  /** The `cursor` of the next page. Null: there is none. */
  next: string | null
}

/** A stop of an object, between two trips. */
export type Stop = {
  /** Id of the stop. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** Its first position. */
  start_time: string
  /** Its last position, where the next trip starts. Null while it is open. */
  end_time: string | null
  /** Degrees (WGS 84). */
  latitude: number
  /** Degrees (WGS 84). */
  longitude: number
  /** Address of the first position, from its packet or of its coordinates. Null if unknown. */
  address: string | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Time with the engine on, in whole seconds. */
  idle_time: number
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** The longest time between two positions, in whole seconds. */
  longest_gap: number
  /** Ids of the geofences that contain its first position. */
  geofence_ids: number[]
  /** Ids of the sites that contain its first position. */
  site_ids: number[]
  /** Whether it is still in progress. Its end is then null. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
}

/** A page of visits. */
export type Visits = {
  /** By object id, then by start. */
  items: Visit[]
  /**
   * The commit time up to which records are derived. Null: they are being derived for the first
   * time, and the items are not all.
   */
  derived_until: string | null
  /**
   * The objects of the organization whose stored positions are to be folded again. Their records
   * follow.
   */
  recomputing: number
  /**
   * The first 20 objects and places of the organization whose records cannot be derived. They keep
   * the records that they have. The server tries again, also when they change.
   */
  failures: {
    /** `object`, `geofence` or `site`. */
    kind: string
    /** Its id. */
    id: number
    /** The last attempt. */
    failed_at: string
    /** The fault. */
    error: string
  }[]
  /** The `cursor` of the next page. Null: there is none. */
  next: string | null
}

/** A stay of an object in a geofence or within the radius of a site. */
export type Visit = {
  /** Id of the visit. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The type of the place. */
  place_type: 'geofence' | 'site'
  /** Id of the place. */
  place_id: number
  /** The current name of the place. Null if it was deleted a moment ago. */
  place_name: string | null
  /** The first position inside. */
  start_time: string
  /** The last position inside, before an absence of more than 2 minutes. Null while it is open. */
  end_time: string | null
  /** The last position outside, before the visit. Null if there is none. */
  before_time: string | null
  /** The first position outside, after the visit. Null while it is open. */
  after_time: string | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Distance between its first and its last position inside. Null without an odometer. */
  distance: number | null
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** Whether it is still in progress. Its end is then null. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
}

/** A page of levels. */
export type Levels = {
  /** By object id, then by start. */
  items: Level[]
  /**
   * The commit time up to which records are derived. Null: they are being derived for the first
   * time, and the items are not all.
   */
  derived_until: string | null
  /**
   * The objects of the organization whose stored positions are to be folded again. Their records
   * follow.
   */
  recomputing: number
  /**
   * The first 20 objects and places of the organization whose records cannot be derived. They keep
   * the records that they have. The server tries again, also when they change.
   */
  failures: {
    /** `object`, `geofence` or `site`. */
    kind: string
    /** Its id. */
    id: number
    /** The last attempt. */
    failed_at: string
    /** The fault. */
    error: string
  }[]
  /** The `cursor` of the next page. Null: there is none. */
  next: string | null
}

/** A rise or a fall of a level beyond its threshold, such as fuel that was filled in. */
export type Level = {
  /** Id of the change of level. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The name of the level in the catalogue of attributes. */
  attribute: string
  /** Whether the level rose or fell. */
  kind: 'filled' | 'drained'
  /** By how much, in the unit of the attribute. Never below its threshold. */
  amount: number
  /** The smoothed level before it. */
  before: number
  /** The smoothed level after it. */
  after: number
  /** The last position before the level changed. */
  start_time: string
  /** The first position with the new level. */
  end_time: string
  /** Degrees (WGS 84). */
  latitude: number
  /** Degrees (WGS 84). */
  longitude: number
  /** Address of the first position, from its packet or of its coordinates. Null if unknown. */
  address: string | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Time with the engine on, in whole seconds. */
  idle_time: number
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** The longest time between two positions, in whole seconds. */
  longest_gap: number
  /** Ids of the geofences that contain its first position. */
  geofence_ids: number[]
  /** Ids of the sites that contain its first position. */
  site_ids: number[]
  /** Whether later positions may still move or remove it. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
}

/** The totals of a range of days. */
export type DayTotals = {
  /** The fields of the items, in their order. */
  columns: string[]
  /** By the group. They have the fields of days that can be added, and `days`. */
  items: Record<string, unknown>[]
  /** The time zone of the days. */
  time_zone: string
}

/** Geofences, by id. */
export type Geofences = {
  items: Geofence[]
}

/** A zone with the shape of a polygon. */
export type Geofence = {
  /** Id. */
  id: number
  /** Name. */
  name: string
  /** Free text. */
  description: string | null
  /** Display color, hexadecimal. */
  color: string | null
  /** Vertices of the polygon. */
  coordinates: [number, number][]
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** GeoJSON (RFC 7946). */
export type FeatureCollection = Record<string, unknown>

/** A geofence to create. */
export type NewGeofence = {
  /** Name. */
  name: string
  /** Free text. */
  description?: string | null
  /** Display color, hexadecimal. */
  color?: string | null
  /** Vertices of the polygon. */
  coordinates: [number, number][]
}

/** The fields of a geofence that change. */
export type GeofencePatch = {
  /** Name. */
  name?: string
  /** Free text. */
  description?: string | null
  /** Display color, hexadecimal. */
  color?: string | null
  /** Vertices of the polygon. */
  coordinates?: [number, number][]
}

/** Routes, by id. */
export type Routes = {
  items: Route[]
}

/** A planned route with its waypoints and its geometry. */
export type Route = {
  /** Id. */
  id: number
  /** Name. */
  name: string
  /** Free text. */
  description: string | null
  /** Display color, hexadecimal. */
  color: string | null
  /** Allowed deviation in meters. */
  deviation: number | null
  /** Its waypoints. */
  points: {
    /** Longitude and latitude in degrees (WGS 84), in this order. */
    location: [number, number]
    /** Rank in the sequence. */
    order: number
  }[]
  /** Coordinates as in a GeoJSON MultiLineString. */
  coordinates: [number, number][][]
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** A route to create. */
export type NewRoute = {
  /** Name. */
  name: string
  /** Free text. */
  description?: string | null
  /** Display color, hexadecimal. */
  color?: string | null
  /** Allowed deviation in meters. */
  deviation?: number | null
  /** Its waypoints. */
  points: {
    /** Longitude and latitude in degrees (WGS 84), in this order. */
    location: [number, number]
    /** Rank in the sequence. */
    order: number
  }[]
  /** Coordinates as in a GeoJSON MultiLineString. */
  coordinates: [number, number][][]
}

/** The fields of a route that change. */
export type RoutePatch = {
  /** Name. */
  name?: string
  /** Free text. */
  description?: string | null
  /** Display color, hexadecimal. */
  color?: string | null
  /** Allowed deviation in meters. */
  deviation?: number | null
  /** Its waypoints. */
  points?: {
    /** Longitude and latitude in degrees (WGS 84), in this order. */
    location: [number, number]
    /** Rank in the sequence. */
    order: number
  }[]
  /** Coordinates as in a GeoJSON MultiLineString. */
  coordinates?: [number, number][][]
}

/** Sites, by id. */
export type Sites = {
  items: Site[]
}

/** A point of interest with the shape of a circle. */
export type Site = {
  /** Id. */
  id: number
  /** Name. */
  name: string
  /** Free text. */
  description: string | null
  /** Identifier of an icon. */
  icon: string | null
  /** Latitude of the center. */
  latitude: number
  /** Longitude of the center. */
  longitude: number
  /** Radius in meters. */
  radius: number | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** A site to create. */
export type NewSite = {
  /** Name. */
  name: string
  /** Free text. */
  description?: string | null
  /** Identifier of an icon. */
  icon?: string | null
  /** Latitude of the center. */
  latitude: number
  /** Longitude of the center. */
  longitude: number
  /** Radius in meters. */
  radius?: number | null
}

/** The fields of a site that change. */
export type SitePatch = {
  /** Name. */
  name?: string
  /** Free text. */
  description?: string | null
  /** Identifier of an icon. */
  icon?: string | null
  /** Latitude of the center. */
  latitude?: number
  /** Longitude of the center. */
  longitude?: number
  /** Radius in meters. */
  radius?: number | null
}

/** The results for the rows of a file. */
export type ImportSummary = {
  /** Name of the file. */
  file: string
  /** Rows read: accepted, duplicate, conflict and rejected together. */
  read: number
  /** Rows that were imported. */
  accepted: number
  /** Rows that exist already, unchanged. */
  duplicate: number
  /** Rows that contradict another row. */
  conflict: number
  /** Rows that cannot be imported. */
  rejected: number
  /** The number of accepted rows that created an item. */
  created: number
  /** The number of accepted rows that changed an existing item. */
  updated: number
  /** The number of rejected rows by reason. */
  reasons: Record<string, {
    /** How many. */
    count: number
    first: {
      /** Name of the file. */
      file: string
      /** Line, from 1. */
      line: number
      /** The beginning of the line. */
      text: string
      /** The problem of the row. */
      detail: string
    }[]
  }>
  /**
   * Items that this import leaves out, by kind, such as waypoints among positions. They are not in
   * `read`.
   */
  omitted: Record<string, {
    /** How many. */
    count: number
    first: {
      /** Name of the file. */
      file: string
      /** Line, from 1. */
      line: number
      /** The beginning of the line. */
      text: string
      /** The problem of the row. */
      detail: string
    }[]
  }>
  /** Rows with the same result. */
  duplicates: {
    /** How many. */
    count: number
    first: {
      /** Name of the file. */
      file: string
      /** Line, from 1. */
      line: number
      /** The beginning of the line. */
      text: string
      /** The problem of the row. */
      detail: string
    }[]
  }
  /** Rows with the same result. */
  conflicts: {
    /** How many. */
    count: number
    first: {
      /** Name of the file. */
      file: string
      /** Line, from 1. */
      line: number
      /** The beginning of the line. */
      text: string
      /** The problem of the row. */
      detail: string
    }[]
  }
  /**
   * How the columns of the file were read. Several columns of one field are separated by commas.
   * GPX has only ignored ones.
   */
  columns: {
    /** By field: the column that was mapped, or that has the field’s own name. */
    used: Record<string, string>
    /** By field: the column that was recognized by another usual name. */
    guessed: Record<string, string>
    /** The other columns. */
    ignored: string[]
  }
  /** Whether the file is cut off. */
  truncated: boolean
  /** Further remarks. */
  notes: string[]
  /** Why the rest was not read. Null: the whole file was read. */
  stopped: string | null
  /**
   * Whether everything was imported: the whole file was read, and no row was rejected or in
   * conflict. Also false if the file has only other items.
   */
  complete: boolean
}

/** How a file would be read. */
export type ImportPreview = {
  /** Name of the file. */
  file: string
  fields: {
    /** Name. */
    name: string
    /** Whether it must have a column. */
    required: boolean
  }[]
  /**
   * How the columns of the file were read. Several columns of one field are separated by commas.
   * GPX has only ignored ones.
   */
  columns: {
    /** By field: the column that was mapped, or that has the field’s own name. */
    used: Record<string, string>
    /** By field: the column that was recognized by another usual name. */
    guessed: Record<string, string>
    /** The other columns. */
    ignored: string[]
  }
  /**
   * How a CSV file is written, by the names of the parameters that decide it. Null: it is no CSV,
   * or has no header.
   */
  table: {
    encoding: TablePart
    delimiter: TablePart
    decimal: TablePart
    dates: TablePart
  } | null
  /**
   * The saved mapping that has the headings of the file, whose choices are used. Null: there is
   * none.
   */
  saved_mapping: number | null
  rows: ({
    /** Line of the file, from 1. */
    line: number
    /** The row, up to 160 characters. */
    text: string
    /**
     * By field: the value as it would be stored. Speeds are km/h, distances km and times UTC. Null
     * if the row would be rejected.
     */
    values: Record<string, string | number | boolean> | null
    /** Why the row would be rejected. Null: it would be imported. */
    rejected: string | null
  })[]
  /** Remarks, as sentences. */
  notes: string[]
  /** Why the import would be refused. Null: it would begin. */
  problem: string | null
  /**
   * The time zones in which times without an offset are read: those of the objects. Empty if there
   * are no such times, or `timezone` or a heading names their zone.
   */
  local_zones: string[]
  /**
   * A field for which several columns are equally likely: choose one by `map`. Null: there is no
   * such field.
   */
  rivals: {
    /** The field. */
    field: string
    /** Its possible columns. */
    columns: string[]
  } | null
  /** The imports that accept the file, if it has the columns of another kind. */
  taken_by: ('objects' | 'geofences' | 'routes' | 'sites' | 'positions')[]
}

/** A part of the form of a CSV file. */
export type TablePart = {
  /** The value that the import takes. Null: it is `open`. */
  value: string | null
  /**
   * The source of the value: the parameter (`given`), a saved mapping, the file, or the usual
   * value, because nothing in the file depends on it. `open`: the file allows several values, and
   * the parameter of this name has to choose.
   */
  from: 'given' | 'saved' | 'file' | 'usual' | 'open'
  /** A text of the file that shows it or is ambiguous. */
  example: string | null
  /** The ways to read the file, if it is `open`. */
  choices: {
    /** A value for the parameter. */
    value: string
    /** The example as it is read with that value. */
    reads: string
  }[]
}

/** The catalogue of attributes of an organization, and what its devices send. */
export type Attributes = {
  /** The catalogue, by name. */
  items: Attribute[]
  /** Names that devices send, by name: a page of them. */
  sent: SentName[]
  /** The last name of the page: the `after` of the next page. Null: it is the last page. */
  next: string | null
}

/** An attribute of the catalogue: how values of devices are shown. */
export type Attribute = {
  /** The name in answers. */
  name: string
  /** The type of its values. */
  type: 'number' | 'boolean' | 'text'
  /** The unit of its numbers. Null: none. */
  unit: string | null
  /** Display name. */
  label: string
  /** Decimals of its numbers: by default those of a known name, else 2. */
  decimals: number
  /** The server multiplies the numbers of devices by it: 1 by default. */
  scale: number
  /** Added to the scaled number: 0 by default. */
  offset: number
  /** A smaller number, after scale and offset, is no value. Null: no limit. */
  minimum: number | null
  /** A greater number, after scale and offset, is no value. Null: no limit. */
  maximum: number | null
  /**
   * Values that devices send when they have none, as the devices send them: numbers or texts, such
   * as 65535 or an empty text. Null: there are none.
   */
  none: (number | string)[] | null
  /**
   * The names that devices use for it, or objects that give a name a scale, an offset or a table of
   * its own, for all objects or some. The first one with a value in a position gives the value.
   */
  sources: (string | {
    /** The name that devices use. */
    name: string
    /** Overrides that of the attribute. Default: 1 if there is an offset. */
    scale?: number
    /** Overrides that of the attribute. Default: 0 if there is a scale. */
    offset?: number
    /**
     * Instead of scale and offset: points of the sent number, ascending, and the shown one. Lines
     * hold between points; outside them there is no value.
     */
    table?: [number, number][]
    /** Ids of the objects whose values it takes. Default: all. */
    objects?: number[]
    /** Capacity of the tank of these objects: a greater shown number counts as no value. */
    capacity?: number
  })[]
  /**
   * The hours for which a value is current, up to the newest position: 24 for texts by default.
   * Null: no limit.
   */
  holds: number | null
  /** Whether a value ends when the object is parked with the ignition off, as a driver does. */
  ends_with_ignition: boolean
  /** Whether its number only rises, so that trips and days have its gain. */
  is_counter: boolean
  /**
   * A rise of its counter that is faster in an hour, as shown, is doubted. Null: only falls are
   * doubted.
   */
  maximum_rate: number | null
  /** Whether its number is the content of a tank, which is filled and drained. */
  is_level: boolean
  /**
   * A change of its level that is greater, as shown, counts as filled or drained. Null: 5 % of the
   * capacity, or 10 without one.
   */
  threshold: number | null
  /**
   * Smoothing of its level, in seconds before and after each value: 300 by default. At least three
   * values on each side count.
   */
  smoothing: number
  /** Whether keys see it. */
  is_public: boolean
  /** The newest value of all objects, as answers show it. Null: none can be shown. */
  value: number | boolean | string | null
  /** Its time. Null: there is none. */
  value_at: string | null
  /**
   * Stored values of its sources that were looked at: those of the newest 100 positions of up to
   * 100 objects, first of those whose newest value is not shown.
   */
  checked: number
  /** Those that are among the `none` values, or outside the range. */
  no_value: {
    /** Their number. */
    count: number
    /** One of them, as the device sent it. */
    value: number | boolean | string
    /** Its time. */
    value_at: string
    /** Id of the object that sent it. */
    object: number
  } | null
  /** Those that cannot have the type. */
  wrong_type: {
    /** Their number. */
    count: number
    /** One of them, as the device sent it. */
    value: number | boolean | string
    /** Its time. */
    value_at: string
    /** Id of the object that sent it. */
    object: number
  } | null
}

/** A name that devices use for values. */
export type SentName = {
  /** The name that devices use for it. */
  name: string
  /** The newest value of all objects, as the device sent it. Null: no stored position has one. */
  value: number | boolean | string | null
  /** Its time. Null: there is none. */
  value_at: string | null
  /** Id of the object that sent it. Null: there is none. */
  object: number | null
  /** Positions that were accepted with it. */
  positions: number
  /** Objects whose devices sent it. */
  objects: number
  /** The attributes that show it. Empty: nothing does. */
  attributes: string[]
}

/**
 * The name of an attribute, and the settings that change. A new attribute takes settings that are
 * left out from the name of its first source.
 */
export type AttributePatch = {
  /** The name in answers. */
  name: string
  /** The type of its values. */
  type?: 'number' | 'boolean' | 'text'
  /** The unit of its numbers. Null: none. */
  unit?: string | null
  /** Display name. */
  label?: string
  /** Decimals of its numbers: by default those of a known name, else 2. */
  decimals?: number
  /** The server multiplies the numbers of devices by it: 1 by default. */
  scale?: number
  /** Added to the scaled number: 0 by default. */
  offset?: number
  /** A smaller number, after scale and offset, is no value. Null: no limit. */
  minimum?: number | null
  /** A greater number, after scale and offset, is no value. Null: no limit. */
  maximum?: number | null
  /**
   * Values that devices send when they have none, as the devices send them: numbers or texts, such
   * as 65535 or an empty text. Null: there are none.
   */
  none?: (number | string)[] | null
  /**
   * The names that devices use for it, or objects that give a name a scale, an offset or a table of
   * its own, for all objects or some. The first one with a value in a position gives the value.
   */
  sources?: (string | {
    /** The name that devices use. */
    name: string
    /** Overrides that of the attribute. Default: 1 if there is an offset. */
    scale?: number
    /** Overrides that of the attribute. Default: 0 if there is a scale. */
    offset?: number
    /**
     * Instead of scale and offset: points of the sent number, ascending, and the shown one. Lines
     * hold between points; outside them there is no value.
     */
    table?: [number, number][]
    /** Ids of the objects whose values it takes. Default: all. */
    objects?: number[]
    /** Capacity of the tank of these objects: a greater shown number counts as no value. */
    capacity?: number
  })[]
  /**
   * The hours for which a value is current, up to the newest position: 24 for texts by default.
   * Null: no limit.
   */
  holds?: number | null
  /** Whether a value ends when the object is parked with the ignition off, as a driver does. */
  ends_with_ignition?: boolean
  /** Whether its number only rises, so that trips and days have its gain. */
  is_counter?: boolean
  /**
   * A rise of its counter that is faster in an hour, as shown, is doubted. Null: only falls are
   * doubted.
   */
  maximum_rate?: number | null
  /** Whether its number is the content of a tank, which is filled and drained. */
  is_level?: boolean
  /**
   * A change of its level that is greater, as shown, counts as filled or drained. Null: 5 % of the
   * capacity, or 10 without one.
   */
  threshold?: number | null
  /**
   * Smoothing of its level, in seconds before and after each value: 300 by default. At least three
   * values on each side count.
   */
  smoothing?: number
  /** Whether keys see it. */
  is_public?: boolean
}

/** Attributes to publish. */
export type AttributesToPublish = {
  /**
   * Names of attributes, or names that devices send, which become attributes. Null: all names that
   * devices send and no attribute has. An attribute that is hidden stays hidden unless this list
   * has its name, or a source of it.
   */
  names: string[] | null
  /**
   * Names that devices send, which become hidden attributes. They stay hidden from later calls too.
   */
  except?: string[]
  /** Dry run: answer the same without changing anything. Default: false. */
  dry_run?: boolean
}

/** The catalogue after attributes were published, and what changed. */
export type PublishedAttributes = {
  /** The catalogue, by name. */
  items: Attribute[]
  /** Names that devices send, by name: a page of them. */
  sent: SentName[]
  /** The last name of the page: the `after` of the next page. Null: it is the last page. */
  next: string | null
  /** Attributes that keys did not see before. */
  published: string[]
  /** Attributes that stay hidden. Name them to publish them. */
  hidden: string[]
}

/** Some attributes. */
export type ChosenAttributes = {
  /** Names of attributes. */
  names: string[]
}

/** Names to forget. */
export type NamesToForget = {
  /** Names that devices sent and no attribute shows. Null: all of those. */
  names: string[] | null
  /** Dry run: answer the same without changing anything. Default: false. */
  dry_run?: boolean
}

/** The catalogue after names were forgotten, and the forgotten names. */
export type ForgottenNames = {
  /** The catalogue, by name. */
  items: Attribute[]
  /** Names that devices send, by name: a page of them. */
  sent: SentName[]
  /** The last name of the page: the `after` of the next page. Null: it is the last page. */
  next: string | null
  /** Names that the organization has forgotten. */
  forgotten: string[]
}

/** The current values of an object: those of attributes by name, then the others. */
export type CurrentAttributes = {
  items: CurrentAttribute[]
}

/** A current value of an object. */
export type CurrentAttribute = {
  /** The attribute that shows it. Null: nothing does. */
  attribute: string | null
  /** The name that the device used for it. */
  source: string
  /** Display name. */
  label: string
  /** The unit of a number. Null: none. */
  unit: string | null
  /** The value as answers show it, or without an attribute as the device sent it. */
  value: number | boolean | string
  /** When the device took it. */
  value_at: string
  /** Whether keys see it. */
  is_public: boolean
}

/** The values that the device of an object sent in a range of time. */
export type SentValues = {
  /** By time, ascending. If there are more than 1,000, that many of them at even distances. */
  items: ({
    /** When the position was taken. */
    time_device: string
    /** By name: the value as the device sent it. */
    values: Record<string, number | boolean | string>
  })[]
  /** Positions of the range that have such values. */
  positions: number
  /** Whether the range has more than 100,000 positions: the first ones are read. */
  truncated: boolean
}

/** The saved mappings of an organization, the newest first. */
export type SavedMappings = {
  items: SavedMapping[]
}

/**
 * The choices with which a CSV file was imported. Later files with the same headings are read with
 * them.
 */
export type SavedMapping = {
  /** Its id. */
  id: number
  /** The import: `positions`, `objects`, `geofences`, `routes` or `sites`. */
  kind: string
  /** The headings by which a file is recognized. */
  headings: string[]
  /** Its name: that of the first file, unless it was changed. */
  name: string
  /** The choices. */
  settings: {
    /** By field: the column that was chosen. */
    columns: Record<string, string>
    /** The encoding. Null: detected in the file. The next three are null in the same way. */
    encoding: string | null
    /** The character between cells. */
    delimiter: string | null
    /** The decimal mark. */
    decimal: string | null
    /** The order of day, month and year. */
    dates: string | null
    /** The unit of speed. Null: it was not chosen. The next field is null in the same way. */
    speed_unit: string | null
    /** The unit of distances. */
    distance_unit: string | null
    /** The time zone of times without an offset. Null: of the device. */
    timezone: string | null
  }
  /** When a file was last imported with other choices than before. */
  saved_at: string
}

/** The fields of a saved mapping that change. */
export type MappingPatch = {
  /** The name by which operators know such files. */
  name?: string
}

/** The recorded changes with actor and time, the newest first. */
export type Audit = {
  items: ({
    /** Id of the entry. */
    id: number
    /** When it happened. */
    at: string
    /**
     * The actor: `person <id> <name> <address>`, `token <id> <name>`, `command line, user <name>`,
     * or `console` for somebody who has not signed in.
     */
    actor: string
    /** The action and its target, such as `organization.update`. */
    action: string
    /** The organization of the target. Null: the deployment. */
    organization: number | null
    /** Id of the target. */
    target: number | null
    /** The name of the target at that time. */
    name: string | null
    /** By the name of a setting, what it was (`from`) and what it became (`to`). */
    changes: Record<string, unknown> | null
  })[]
  /** The `before` of the next page. Null: there is none. */
  next: number | null
}

/**
 * A line of an answer that shows its progress. It has one of these members. The last line has the
 * summary or the error.
 */
export type ImportLine = {
  /** How far a file is read. */
  progress?: {
    /** Rows read so far. */
    rows: number
    /** Bytes read so far. */
    bytes: number
    /** Bytes of the file. */
    size: number
  }
  summary?: ImportSummary
  error?: ErrorBody
}

/** The body of every error. */
export type ErrorBody = {
  /** A code for programs. */
  code: string
  /** A sentence that says what is wrong and what to do. */
  message: string
  /** The wrong field. Null if no field is wrong. */
  field: string | null
}
