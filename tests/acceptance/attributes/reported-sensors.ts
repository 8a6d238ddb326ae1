/*
 * Sensors that people reported in public, and the values that answers show of them.
 */

type Value = number | boolean | string | null

export type Report = {
  /** Below GitHub. */
  readonly source: string
  readonly says: string
  /** The name that the device uses, and its values. */
  readonly name: string
  readonly sent: readonly Value[]
  /** The name in answers, and what they show of each position. Null: no value. */
  readonly attribute: string
  readonly shown: readonly Value[]
  /** The gain of a counter. */
  readonly gain?: number
  /** Settings that the operator has to give. */
  readonly set?: readonly string[]
}

/** Names that are published as devices send them, in one fleet. */
export const PUBLISHED: readonly Report[] = [
  {
    source: 'home-assistant/core/issues/116193',
    says: 'the battery is -1 where its level is unknown',
    ...{ name: 'batteryLevel', sent: [57, -1, -1] },
    ...{ attribute: 'battery_level', shown: [57, null, null] },
  },
  {
    source: 'meshtastic/web/issues/335',
    says: 'the battery is 101 % at a charger',
    ...{ name: 'batteryLevel', sent: [100, 101, 99] },
    ...{ attribute: 'battery_level', shown: [100, null, 99] },
  },
  {
    source: 'teckel12/LuaTelemetry/issues/346',
    says: 'the battery is 10545 % after a damaged packet',
    ...{ name: 'batteryLevel', sent: [55, 10_545, 54] },
    ...{ attribute: 'battery_level', shown: [55, null, 54] },
  },
  {
    source: 'traccar/traccar/issues/3287',
    says: 'a tracker sends the raw count of its converter as volts',
    ...{ name: 'power', sent: [1_083, 1_084] },
    ...{ attribute: 'power', shown: [null, null] },
  },
  {
    source: 'traccar/traccar/issues/1692',
    says: 'a tracker sends tenths of a degree',
    ...{ name: 'temp1', sent: [166, 4_294_967_200] },
    ...{ attribute: 'temp1', shown: [null, null] },
  },
  {
    source: 'home-assistant/core/issues/78673',
    says: 'a beacon has 55,000 and -1,000 °C once a day',
    ...{ name: 'temp1', sent: [21.2, 55_000, -1_000, 21.3] },
    ...{ attribute: 'temp1', shown: [21.2, null, null, 21.3] },
  },
  {
    source: 'citruz/beacontools/issues/29',
    says: 'the sign of an Eddystone temperature is read as its highest bit',
    ...{ name: 'temp1', sent: [23, 32_790, 49_174, 23] },
    ...{ attribute: 'temp1', shown: [23, null, null, 23] },
  },
  {
    source: 'sandeepmistry/node-bleacon/issues/52',
    says: 'a beacon that wants a password has 255.99609375 °C',
    ...{ name: 'temp1', sent: [255.99609375, 26.5] },
    ...{ attribute: 'temp1', shown: [null, 26.5] },
  },
  {
    source: 'townsmcp/mg-saic-ha/issues/280',
    says: 'a car that cannot measure has -128 °C',
    ...{ name: 'temp1', sent: [-128, 12] },
    ...{ attribute: 'temp1', shown: [null, 12] },
  },
  {
    source: 'esphome/issues/issues/1436',
    says: 'a sensor that answers nothing has the text nan',
    ...{ name: 'temp1', sent: ['nan', 20.5] },
    ...{ attribute: 'temp1', shown: [null, 20.5] },
  },
  {
    source: 'node-red/node-red-nodes/issues/225',
    says: 'the humidity is 119 % after a start',
    ...{ name: 'humidity', sent: [119, 65] },
    ...{ attribute: 'humidity', shown: [null, 65] },
  },
  {
    source: 'r-map/rmap/issues/421',
    says: 'the humidity is 2147483442 where its sensor is gone',
    ...{ name: 'humidity', sent: [34, 2_147_483_442] },
    ...{ attribute: 'humidity', shown: [34, null] },
  },
  {
    source: 'Estimote/estimote-specs/issues/6',
    says: 'a beacon without a barometer sends its largest number',
    ...{ name: 'p', sent: [16_777_215.99609375, 101.3] },
    ...{ attribute: 'air_pressure', shown: [null, 101.3] },
  },
  {
    source: 'ttlappalainen/NMEA2000/issues/483',
    says: 'an engine load of 0xFF is read as -1',
    ...{ name: 'engineLoad', sent: [-1, 35] },
    ...{ attribute: 'engine_load', shown: [null, 35] },
  },
  {
    source: 'traccar/traccar/pull/6024',
    says: 'a coolant of 0xFF has 215 °C',
    ...{ name: 'coolantTemp', sent: [215, 88] },
    ...{ attribute: 'coolant_temp', shown: [null, 88] },
  },
  {
    source: 'traccar/traccar/issues/2176',
    says: 'a coolant that was not read has -40 °C',
    ...{ name: 'coolantTemp', sent: [-40, 70] },
    ...{ attribute: 'coolant_temp', shown: [null, 70] },
  },
  {
    source: 'cleanflight/cleanflight/issues/84',
    says: 'fuel below zero becomes 65535',
    ...{ name: 'fuel', sent: [65_535, 40] },
    ...{ attribute: 'fuel', shown: [null, 40] },
  },
  {
    source: 'itchannel/fordpass-ha/issues/580',
    says: 'the odometer of a car is sometimes 0',
    ...{ name: 'obdOdometer', sent: [51_200_000, 51_202_000, 0, 51_204_000] },
    ...{ attribute: 'obd_odometer', shown: [51_200, 51_202, null, 51_204], gain: 4 },
  },
  {
    source: 'its-me-prash/vwgroup-connect-ha/issues/1122',
    says: 'the odometer has 0xFFFFFFFF tenths of a kilometre',
    ...{ name: 'obdOdometer', sent: [1_790_000, 429_496_729_500, 1_794_000] },
    ...{ attribute: 'obd_odometer', shown: [1_790, null, 1_794], gain: 4 },
  },
  {
    source: 'meatpiHQ/wican-fw/issues/186',
    says: 'a wrong formula reads two odometers of nonsense in a row',
    ...{ name: 'obdOdometer', sent: [44_131_000, 354_020_591_500, 82_475_987_300, 44_133_000] },
    ...{ attribute: 'obd_odometer', shown: [44_131, null, null, 44_133], gain: 2 },
  },
  {
    source: 'traccar/traccar/pull/5834',
    says: 'an odometer is read with a sign',
    ...{ name: 'obdOdometer', sent: [-2_147_482_000, 2_147_483_000] },
    ...{ attribute: 'obd_odometer', shown: [null, 2_147_483], gain: 0 },
  },
  {
    source: 'OpenSourceEBike/TSDZ2-Smart-EBike/issues/153',
    says: 'the odometer returns to one number at each start',
    ...{ name: 'odometer', sent: [1_646_600, 1_650_000, 1_646_600, 1_649_000] },
    ...{ attribute: 'device_odometer', shown: [1_646.6, 1_650, 1_646.6, 1_649], gain: 5.8 },
  },
  {
    source: 'maziggy/homeassistant-bluelab/issues/20',
    says: 'a counter is 0 after a restart of its reader',
    ...{ name: 'fuelUsed', sent: [5_012.4, 5_012.9, 0, 5_013.1] },
    ...{ attribute: 'fuel_used', shown: [5_012.4, 5_012.9, 0, 5_013.1], gain: 0.7 },
  },
  {
    source: 'StephanJoubert/home_assistant_solarman/issues/11',
    says: 'a counter begins each day at 0',
    ...{ name: 'steps', sent: [8_000, 8_100, 0, 50, 90] },
    ...{ attribute: 'steps', shown: [8_000, 8_100, 0, 50, 90], gain: 190 },
  },
  {
    source: 'traccar/traccar/issues/4250',
    says: 'a driver has not signed in yet',
    ...{ name: 'driverUniqueId', sent: ['', '012E717F010000'] },
    ...{ attribute: 'driver', shown: [null, '012E717F010000'] },
  },
  {
    source: 'pimylifeup/MFRC522-python/issues/16',
    says: 'a tag in hexadecimal digits looks like a power of ten',
    ...{ name: 'driverUniqueId', sent: ['0000E71234', '0000E71235'] },
    ...{ attribute: 'driver', shown: ['0000E71234', '0000E71235'] },
  },
  {
    source: 'HoiskolensChemikerforening/hc-backend/issues/240',
    says: 'a card begins with 0',
    ...{ name: 'driverUniqueId', sent: ['0005501439', '0005501439'] },
    ...{ attribute: 'driver', shown: ['0005501439', '0005501439'] },
  },
  {
    source: 'home-assistant/core/issues/48225',
    says: 'a number comes as a text',
    ...{ name: 'fuelLevel', sent: ['12.79', '12.5'] },
    ...{ attribute: 'fuel_level', shown: [12.8, 12.5] },
  },
  {
    source: 'phpMyDomo/phpMyDomo/issues/29',
    says: 'a number has a comma',
    ...{ name: 'deviceTemp', sent: ['48,2', '48,0'] },
    ...{ attribute: 'device_temp', shown: ['48,2', '48,0'] },
  },
  {
    source: 'lorenzo-deluca/homeassistant-traccar/issues/2',
    says: 'a number has its unit',
    ...{ name: 'batt2', sent: ['57%', '56%'] },
    ...{ attribute: 'batt2', shown: ['57%', '56%'] },
  },
  {
    source: 'traccar/traccar/issues/3604',
    says: 'a temperature has hexadecimal digits',
    ...{ name: 'temp6', sent: ['FB2E', '0B51'] },
    ...{ attribute: 'temp6', shown: ['FB2E', '0B51'] },
  },
  {
    source: 'traccar/traccar/pull/2165',
    says: 'an alarm is true, or the name of an alarm',
    ...{ name: 'alarm', sent: [true, 'sos,lowBattery'] },
    ...{ attribute: 'alarm', shown: ['true', 'sos,lowBattery'] },
  },
]

/** Names that need a word of the operator. */
export const SET: readonly Report[] = [
  {
    source: 'skipperro/pajgps-homeassistant/issues/32',
    says: 'a full battery is 6',
    ...{
      name: 'batteryLevel',
      sent: [6, 4.5, 1],
      set: ['--sources', '[{"name":"batteryLevel","table":[[0,0],[6,100]]}]'],
    },
    ...{ attribute: 'battery_level', shown: [100, 75, 17] },
  },
  {
    source: 'traccar/traccar/issues/4957',
    says: 'a temperature is ten times too small',
    ...{ name: 'temp1', sent: [-1.79, 8.5, -1.75], set: ['--scale', '10'] },
    ...{ attribute: 'temp1', shown: [-17.9, null, -17.5] },
  },
  {
    source: 'traccar/traccar/pull/3896',
    says: 'engine hours are hours',
    ...{ name: 'hours', sent: [1_476.5, 1_476.6, 1_476.8], set: ['--scale', '1'] },
    ...{ attribute: 'device_engine_hours', shown: [1_476.5, 1_476.6, 1_476.8], gain: 0.3 },
  },
  {
    source: 'diyless/opentherm-thermostat/issues/58',
    says: 'a temperature counts 256ths of a degree',
    ...{ name: 'exhaustTemp', sent: [11_776, 11_780], set: ['--scale', '0.00390625'] },
    ...{ attribute: 'exhaust_temp', shown: [46, 46.02] },
  },
  {
    source: 'domoticz/domoticz/issues/3895',
    says: 'the contact of a door is closed while the door is',
    ...{ name: 'door', sent: [1, 0, true], set: ['--scale', '-1', '--offset', '1'] },
    ...{ attribute: 'door', shown: [false, true, false] },
  },
  {
    source: 'danielhrisca/asammdf/issues/1237',
    says: 'a switch of two bits has 3 for nothing',
    ...{ name: 'pto', sent: [0, 1, 3, 3], set: ['--type', 'boolean'] },
    ...{ attribute: 'pto', shown: [false, true, null, null] },
  },
  {
    source: 'itchannel/fordpass-ha/issues/216',
    says: 'a tank has up to 105 % after a filling',
    ...{ name: 'fuelLevel', sent: [40, 103, 127], set: ['--maximum', '105'] },
    ...{ attribute: 'fuel_level', shown: [40, 103, null] },
  },
  {
    source: 'chises/ha-oilfox/issues/10',
    says: 'a tank of 1,000 l has 2,900 l',
    ...{
      name: 'fuel',
      sent: [640, 2_900, 639],
      set: ['--sources', '[{"name":"fuel","capacity":1000}]'],
    },
    ...{ attribute: 'fuel', shown: [640, null, 639] },
  },
  {
    source: 'meatpiHQ/wican-fw/issues/501',
    says: 'a gauge has 92.55 % until the engine starts',
    ...{ name: 'fuelLevel2', sent: [58, 92.55, 57.8], set: ['--none', '92.55'] },
    ...{ attribute: 'fuel_level2', shown: [58, null, 57.8] },
  },
  {
    source: 'openvehicles/Open-Vehicle-Monitoring-System-3/issues/146',
    says: 'the battery of a car is 0 % while the car sleeps',
    ...{ name: 'batteryLevel3', sent: [81, 0, 0, 79], set: ['--none', '0'] },
    ...{ attribute: 'battery_level3', shown: [81, null, null, 79] },
  },
  {
    source: 'OpenAtomFoundation/TobudOS/pull/85',
    says: 'a signal of 99 is unknown',
    ...{ name: 'rssi', sent: [18, 99, 20], set: ['--none', '99'] },
    ...{ attribute: 'rssi', shown: [18, null, 20] },
  },
  {
    source: 'teslamotors/fleet-telemetry/issues/451',
    says: 'a car sends <invalid> for what it does not know',
    ...{ name: 'Gear', sent: ['<invalid>', 'ShiftStateD'], set: ['--none', '<invalid>'] },
    ...{ attribute: 'gear', shown: [null, 'ShiftStateD'] },
  },
]
