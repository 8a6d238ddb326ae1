import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { OPERATIONS, secretOf } from '../../harness/admin.ts'
import { openContext, openPage, withoutBrowser } from '../../harness/browser.ts'
import { startConsole } from '../../harness/console.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { resolved } from '../../harness/limit-cases.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { serveHere } from '../../harness/server-here.ts'

/** The path of an organization, and the id of its object. */
type Acme = { at: string; van: number }

type Shown = {
  name: string
  tag: string
  type: string | null
  limits: Record<string, string | null>
  options: string[]
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

async function rotate(page: Page): Promise<void> {
  await press(page, /^Actions for/)
  await page.getByRole('menuitem', { name: 'Rotate' }).click()
}

async function openAccount(page: Page, item: string): Promise<void> {
  await press(page, 'Account')
  await page.getByRole('menuitem', { name: item }).click()
}

/** The page of each form, how it opens, and the fields that it must show. */
const FORMS: [
  id: string,
  path: (acme: Acme) => string,
  open: (page: Page) => Promise<void>,
  fields: string,
][] = [
  [
    'createOrganization',
    () => '/organizations',
    (page) => press(page, 'New organization'),
    'name distance_unit language daily_quota',
  ],
  [
    'updateOrganization',
    ({ at }) => `${at}/settings`,
    async () => {},
    'name subscription distance_unit language time_zone daily_quota window_requests retention_days disclosure_days max_objects max_places max_vertices signal_timeout_hours maximum_gap future_tolerance maximum_age',
  ],
  [
    'createObject',
    ({ at }) => `${at}/objects`,
    (page) => press(page, 'New vehicle'),
    'name ident plate_number vin',
  ],
  [
    'updateObject',
    ({ at, van }) => `${at}/objects/${van}/settings`,
    async () => {},
    'name ident plate_number vin odometer_type engine_hours_type odometer_offset maximum_hdop maximum_accuracy minimum_gps_level minimum_difference_point minimum_moving_speed idle_speed_threshold device_timezone maximum_gap former_ident stop_detection_method distance_source private_hours private_ranges private_time_zone retention_days',
  ],
  [
    'issueKey',
    ({ at }) => `${at}/keys`,
    (page) => press(page, 'Issue key'),
    'name recipient purpose',
  ],
  [
    'issueFeedToken',
    ({ at }) => `${at}/keys/feed-tokens`,
    (page) => press(page, 'Issue feed token'),
    'name',
  ],
  ['rotateKey', ({ at }) => `${at}/keys`, rotate, 'overlap_hours'],
  ['createGeofence', ({ at }) => `${at}/places/geofences/new`, async () => {}, 'name description'],
  [
    'createRoute',
    ({ at }) => `${at}/places/routes/new`,
    async () => {},
    'name description deviation',
  ],
  [
    'createSite',
    ({ at }) => `${at}/places/sites/new`,
    async () => {},
    'name description radius latitude longitude icon',
  ],
  [
    'setAttribute',
    ({ at }) => `${at}/attributes`,
    (page) => press(page, 'New attribute'),
    'label name sources type holds unit decimals scale offset minimum maximum none',
  ],
  ['issueToken', () => '/people', (page) => press(page, 'Issue token'), 'name role'],
  ['changePassword', () => '/', (page) => openAccount(page, 'Change password'), 'next'],
]

/** Inputs of dates, a choice with an option of its own, and a password that not everybody has. */
const OTHER_INPUTS = ['expires_at', 'since', 'client', 'current']

/** The inputs of the forms in sight, by name. */
function inputsOf(page: Page): Promise<Shown[]> {
  return page.locator('form [name]').evaluateAll((inputs) =>
    inputs.map((input) => ({
      name: input.getAttribute('name')!,
      tag: input.tagName.toLowerCase(),
      type: input.getAttribute('type'),
      limits: Object.fromEntries(
        ['required', 'min', 'max', 'step', 'minlength', 'maxlength'].map((limit) => [
          limit,
          input.getAttribute(limit),
        ]),
      ),
      options: [...input.querySelectorAll('option')].map((option) => option.value),
    })),
  )
}

function fieldsOf(id: string): Json {
  const { takes } = OPERATIONS.find((each) => each.id === id)!
  const { accuracy, ...fields } = resolved(takes['application/json'].schema).properties
  return { ...fields, ...(accuracy && resolved(accuracy).properties) }
}

function assertLimits({ name, tag, limits, options }: Shown, schema: Json, about: string): void {
  const types: string[] = [schema.type].flat()
  if (tag === 'select') {
    const choices = schema.enum?.filter((each: Json) => each !== null)
    if (choices !== undefined) assert.deepEqual([...options].sort(), [...choices].sort(), about)
    else {
      for (const option of options) {
        assert.ok(schema.minimum <= Number(option) && Number(option) <= schema.maximum, about)
      }
    }
    return
  }
  const text = (limit?: number) => (limit === undefined ? null : String(limit))
  const isPassword = name === 'password' || name === 'next'
  assert.deepEqual(
    limits,
    {
      required: types.includes('null') ? null : '',
      min: text(schema.minimum),
      max: text(schema.maximum),
      step: types.includes('integer') ? '1' : types.includes('number') ? 'any' : null,
      minlength: text(schema.minLength),
      // A browser would shorten a pasted password without notice.
      maxlength: isPassword ? null : text(schema.maxLength),
    },
    about,
  )
}

async function assertForm(page: Page, id: string, fields: string): Promise<void> {
  const wanted = fields.split(' ')
  for (const name of wanted) await page.locator(`form [name="${name}"]`).first().waitFor()
  const schemas = fieldsOf(id)
  const isLimited = ({ name, type }: Shown) =>
    name in schemas && type !== 'checkbox' && !OTHER_INPUTS.includes(name)
  const inputs = (await inputsOf(page)).filter(isLimited)
  assert.deepEqual([...new Set(inputs.map(({ name }) => name))].sort(), [...wanted].sort())
  for (const input of inputs) assertLimits(input, schemas[input.name], `${id} ${input.name}`)
}

describe('The inputs of the console', { skip: withoutBrowser }, async () => {
  const console = await startConsole()
  const { post } = console.operator
  const at = `/organizations/${(await post('/organizations', { name: 'Acme' })).id}`
  const van = { name: 'Van', ident: 'van', odometer_type: 'sensor' }
  const acme = { at, van: (await post(`${at}/objects`, van)).id }
  await post(`${at}/keys`, { name: 'Night report' })

  for (const [id, path, open, fields] of FORMS) {
    it(`have the limits that the description publishes for ${id}`, async () => {
      const page = await console.open(path(acme))
      await open(page)
      await assertForm(page, id, fields)
      await page.close()
    })
  }

  it('have the limits that the description publishes for setUp', async (context) => {
    const server = await serveHere(await newDeployment(), ['--geocoder', 'off'])
    context.after(() => server.stop())
    const { setup } = await server.secrets()
    assert.notEqual(secretOf(setup), '')
    const page = await openPage(await openContext())
    await page.goto(setup)
    await page.getByLabel('Your name').waitFor()
    await assertForm(page, 'setUp', 'password name email')
  })
})
