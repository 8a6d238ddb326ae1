/** A value as a device gave it. Numbers are finite. */
export type AttributeValue = number | boolean | string
