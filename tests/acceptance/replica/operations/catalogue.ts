import { addObject, manage, newName, type TrialFleet } from '../trial-fleet.ts'

/** Settings that decide what positions count and show; sometimes applied to stored ones, in slices. */
export async function changeSettings(fleet: TrialFleet): Promise<void> {
  const { random, model, host } = fleet
  if (model.objects.length === 0) return
  const { id } = random.pick(model.objects)
  const accuracy = {
    minimum_difference_point: random.pick([0, 0, 20, 250, 3_000]),
    minimum_moving_speed: random.pick([5, 5, 0, 40]),
    maximum_hdop: random.pick([10, 2]),
    distance_source: random.pick(['gps', 'odometer']),
    stop_detection_method: random.pick(['speed', 'ignition']),
  }
  const type = random.pick(['system', 'system', 'sensor'])
  await manage(fleet, 'PATCH', `/objects/${id}`, {
    ...{ accuracy, odometer_type: type, odometer_offset: random.pick([0, 7]) },
    engine_hours_type: random.pick(['system', 'sensor']),
  })
  if (random.chance(0.5)) return
  await manage(fleet, 'POST', `/objects/${id}/recompute`)
  await host.fold(random.whole(0, 3))
}

/** Objects that wait for a fold: some of their rows are as before it when a reader comes. */
export async function requestFolds(fleet: TrialFleet): Promise<void> {
  for (const { id } of fleet.model.objects) await manage(fleet, 'POST', `/objects/${id}/recompute`)
}

export async function foldOn({ random, host }: TrialFleet): Promise<void> {
  await host.fold(random.whole(1, 4))
}

/** Another name, ident or plate. A device sends by the new ident from then on. */
export async function rename(fleet: TrialFleet): Promise<void> {
  const { random, model } = fleet
  if (model.objects.length === 0) return
  const object = random.pick(model.objects)
  const name = newName(fleet, 'Coach')
  if (random.chance(0.5)) {
    object.ident = `i${model.names}`
    for (const row of object.rows.values()) row.ident = object.ident
    await manage(fleet, 'PATCH', `/objects/${object.id}`, { ident: object.ident })
  } else {
    await manage(fleet, 'PATCH', `/objects/${object.id}`, { name, plate_number: name })
  }
}

export async function changeObjects(fleet: TrialFleet): Promise<void> {
  const { random, model } = fleet
  if (model.objects.length < 4 && random.chance(0.5)) return addObject(fleet)
  if (model.objects.length === 0) return
  const object = random.pick(model.objects)
  model.objects.splice(model.objects.indexOf(object), 1)
  model.deleted.push(object.id)
  await manage(fleet, 'DELETE', `/objects/${object.id}`)
}

/** A file of objects: a new one, one with the id of a deleted one, other settings of an existing one. */
export async function importObjects(fleet: TrialFleet): Promise<void> {
  const { random, model } = fleet
  const name = newName(fleet, 'Van')
  const ident = `i${model.names}`
  const id = random.chance(0.7) ? model.deleted.pop() : undefined
  const existing = random.chance(0.5) ? model.objects[0] : undefined
  if (existing === undefined && model.objects.length >= 4) return
  const lines = [
    'id,ident,name,odometer,engine_hours,address',
    existing === undefined
      ? `${id ?? ''},${ident},${name},${random.pick(['', 12.5])},,${random.pick(['', 'Depot'])}`
      : `,${existing.ident},${name},${random.pick([5, 99.5])},7.25,Garage ${model.names}`,
  ]
  const headers = { 'content-type': 'text/csv' }
  await manage(fleet, 'POST', '/import/objects', `${lines.join('\n')}\n`, headers)
  if (existing !== undefined) return
  const { items } = await manage(fleet, 'GET', '/objects')
  const made = items.find((each: { ident: string }) => each.ident === ident)
  model.objects.push({ id: made.id, ident, number: model.names, rows: new Map() })
}

/** A triangle across the line on which the objects drive, which a trial begins at 4.1 degrees. */
function triangleAt(longitude: number): [number, number][] {
  return [
    [longitude, 41],
    [longitude + 1, 41],
    [longitude + 1, 42],
  ]
}

export async function changePlaces(fleet: TrialFleet): Promise<void> {
  const { random, model } = fleet
  const place =
    model.places.length > 0 && random.chance(0.6) ? random.pick(model.places) : undefined
  const name = newName(fleet, 'Place')
  if (place === undefined) {
    const type = random.pick(['geofences', 'routes', 'sites'] as const)
    const longitude = random.whole(36, 45) / 10
    const triangle = triangleAt(longitude)
    const geometry = {
      geofences: { coordinates: triangle },
      routes: { coordinates: [triangle], points: [{ location: triangle[0], order: 1 }] },
      sites: { latitude: 41.4, longitude, radius: 20_000 },
    }[type]
    const { id } = await manage(fleet, 'POST', `/${type}`, { name, ...geometry })
    model.places.push({ type, id })
  } else if (random.chance(0.5)) {
    await manage(fleet, 'PATCH', `/${place.type}/${place.id}`, { name, description: name })
  } else {
    model.places.splice(model.places.indexOf(place), 1)
    await manage(fleet, 'DELETE', `/${place.type}/${place.id}`)
  }
}
