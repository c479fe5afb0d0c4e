/**
 * The ASN.1 part of node-forge alone: the whole library costs 6 MB and 30 ms more at start. Tags are numbers here
 * (in @types/node-forge they are universal types, which a context-specific tag is not).
 */
declare module 'node-forge/lib/asn1.js' {
  interface Asn1 {
    readonly value: string | readonly Asn1[];
  }
  interface ByteBuffer {
    getBytes(): string;
  }
  const asn1: {
    readonly Class: Readonly<Record<'UNIVERSAL' | 'CONTEXT_SPECIFIC', number>>;
    readonly Type: Readonly<
      Record<
        | 'BOOLEAN'
        | 'INTEGER'
        | 'BITSTRING'
        | 'OCTETSTRING'
        | 'NULL'
        | 'OID'
        | 'UTF8'
        | 'SEQUENCE'
        | 'SET'
        | 'UTCTIME'
        | 'GENERALIZEDTIME',
        number
      >
    >;
    create(tagClass: number, tag: number, constructed: boolean, value: string | readonly Asn1[]): Asn1;
    fromDer(bytes: string): Asn1;
    toDer(node: Asn1): ByteBuffer;
    oidToDer(dotted: string): ByteBuffer;
    dateToUtcTime(date: Date): string;
    dateToGeneralizedTime(date: Date): string;
  };
  export = asn1;
}
