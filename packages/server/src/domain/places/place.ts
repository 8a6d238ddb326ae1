/** Longitude and latitude in degrees, in this order, as in GeoJSON (RFC 7946, 3.1.1). */
export type LonLat = [longitude: number, latitude: number]

type Stored = {
  id: number
  organization: number
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}

/** A polygon zone. */
export type GeofenceSettings = {
  name: string
  description: string | null
  color: string | null
  /** The outer ring as the caller gave it. It may or may not repeat its first vertex. */
  coordinates: LonLat[]
}
export type Geofence = GeofenceSettings & Stored

export type Waypoint = { location: LonLat; order: number }

/** A planned route: its waypoints and its geometry. */
export type RouteSettings = {
  name: string
  description: string | null
  color: string | null
  /** Metres. */
  deviation: number | null
  points: Waypoint[]
  /** The coordinates of a GeoJSON MultiLineString: lines of positions of two numbers. */
  coordinates: LonLat[][]
}
export type Route = RouteSettings & Stored

/** A circular point of interest. */
export type SiteSettings = {
  name: string
  description: string | null
  icon: string | null
  latitude: number
  longitude: number
  /** Metres. */
  radius: number | null
}
export type Site = SiteSettings & Stored
