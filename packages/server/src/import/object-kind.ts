import { inOneStep } from '../domain/common/steps.ts'
import {
  ACCURACY_DEFAULTS,
  ACCURACY_RULES,
  OBJECT_DEFAULTS,
  OBJECT_RULES,
  type ObjectSettings,
} from '../domain/monitored-object.ts'
import { type CatalogueKind, readSettings, settingField } from './catalogue-kind.ts'
import { isFault } from './row.ts'
import { spreadsheetIdent } from './spreadsheet-ident.ts'

/** The rows of objects. `kmFactor`: km in one unit of the file's odometer and mileage. */
export function objectKind(kmFactor: number): CatalogueKind<ObjectSettings> {
  const settings = [
    settingField('ident', OBJECT_RULES.ident, ['imei', 'device_id', 'vehicle_id', 'unit_id']),
    settingField('name', OBJECT_RULES.name, ['label', 'vehicle_name', 'object_name']),
    settingField('vin', OBJECT_RULES.vin, ['vehicle_data.vin']),
    settingField('plateNumber', OBJECT_RULES.plateNumber, [
      'vehicle_data.plate_number',
      'plate',
      'license_plate',
      'registration',
    ]),
    settingField('engineHoursType', OBJECT_RULES.engineHoursType),
    settingField('odometerType', OBJECT_RULES.odometerType),
    settingField('engineHours', OBJECT_RULES.engineHours),
    settingField('odometerOffset', OBJECT_RULES.odometerOffset, [], kmFactor),
    settingField('odometer', OBJECT_RULES.odometer, [], kmFactor),
    settingField('mileage', OBJECT_RULES.mileage, [], kmFactor),
    settingField('address', OBJECT_RULES.address),
  ]
  const accuracy = Object.entries(ACCURACY_RULES).map(([key, rule]) => {
    const field = settingField(key, rule)
    return { ...field, synonyms: [`accuracy.${field.name}`] }
  })
  return {
    fields: [{ name: 'id', synonyms: [] }, ...settings, ...accuracy],
    matchedBy: 'ident',
    defaults: OBJECT_DEFAULTS,
    essentials: ['ident', 'name'],
    read: (cells, existing) =>
      inOneStep(() => {
        const reported = readSettings(settings, cells, 1)
        if (isFault(reported)) return reported
        const rounded = spreadsheetIdent(String(reported.ident ?? ''))
        if (rounded !== null) return rounded
        const givenAccuracy = readSettings(accuracy, cells, 1 + settings.length)
        if (isFault(givenAccuracy)) return givenAccuracy
        return {
          name: reported.ident as string,
          ...existing,
          ...reported,
          accuracy: { ...ACCURACY_DEFAULTS, ...existing.accuracy, ...givenAccuracy },
        }
      }),
  }
}
