#!/usr/bin/env python3
"""Writes specification-packets.txt: one packet for each opcode over IPv4 and IPv6, laid out field by field as the IBTA
specification does (volume 1 chapter 9, annexes A17 and A19), for what no recorded capture shows.
Shares nothing with the Java code: struct and zlib only. SpecificationPacketsTest knows the field values used here."""
import struct, sys, zlib

ROWS = """
00 RC_SEND_FIRST 16
01 RC_SEND_MIDDLE 16
02 RC_SEND_LAST 5
03 RC_SEND_LAST_IMMEDIATE 6 imm
04 RC_SEND_ONLY 7
05 RC_SEND_ONLY_IMMEDIATE 8 imm
06 RC_WRITE_FIRST 16 reth
07 RC_WRITE_MIDDLE 16
08 RC_WRITE_LAST 1
09 RC_WRITE_LAST_IMMEDIATE 2 imm
0A RC_WRITE_ONLY 3 reth
0B RC_WRITE_ONLY_IMMEDIATE 4 reth imm
0C RC_READ_REQUEST 0 reth
0D RC_READ_RESPONSE_FIRST 16 aeth
0E RC_READ_RESPONSE_MIDDLE 16
0F RC_READ_RESPONSE_LAST 9 aeth
10 RC_READ_RESPONSE_ONLY 0 aeth
11 RC_ACKNOWLEDGE 0 aeth
12 RC_ATOMIC_ACKNOWLEDGE 0 aeth atomicack
13 RC_COMPARE_SWAP 0 atomic
14 RC_FETCH_ADD 0 atomic
16 RC_SEND_LAST_INVALIDATE 10 ieth
17 RC_SEND_ONLY_INVALIDATE 11 ieth
1C RC_FLUSH 0 feth reth
1D RC_ATOMIC_WRITE 8 reth
20 UC_SEND_FIRST 16
21 UC_SEND_MIDDLE 16
22 UC_SEND_LAST 5
23 UC_SEND_LAST_IMMEDIATE 6 imm
24 UC_SEND_ONLY 7
25 UC_SEND_ONLY_IMMEDIATE 0 imm
26 UC_WRITE_FIRST 16 reth
27 UC_WRITE_MIDDLE 16
28 UC_WRITE_LAST 1
29 UC_WRITE_LAST_IMMEDIATE 2 imm
2A UC_WRITE_ONLY 3 reth
2B UC_WRITE_ONLY_IMMEDIATE 4 reth imm
64 UD_SEND_ONLY 5 deth
65 UD_SEND_ONLY_IMMEDIATE 12 deth imm
81 CNP 0 cnp
"""

HEADERS = {
    'reth': struct.pack('>QII', 0x0102030405060708, 0x8A9BACBD, 0xFEDCBA98),
    'aeth': struct.pack('>I', 0x62 << 24 | 0x8A9B9C),
    'atomic': struct.pack('>QIQQ', 0x1112131415161718, 0x9A9B9C9D, 0xA1A2A3A4A5A6A7A8, 0xB1B2B3B4B5B6B7B8),
    'atomicack': struct.pack('>Q', 0xC1C2C3C4C5C6C7C8),
    'imm': struct.pack('>I', 0xD1D2D3D4),
    'ieth': struct.pack('>I', 0xE1E2E3E4),
    'deth': struct.pack('>II', 0xF1F2F3F4, 0x00A5B6C7),
    'feth': struct.pack('>I', 1 << 4 | 2),
    'cnp': bytes(16),
}


def checksum(header):
    total = sum(struct.unpack('>10H', header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def icrc(packet, udp):
    masked = bytearray(packet)
    if udp == 40:
        masked[0] |= 0x0F
        masked[1] = masked[2] = masked[3] = masked[7] = 0xFF
    else:
        masked[1] = masked[8] = masked[10] = masked[11] = 0xFF
    masked[udp + 6] = masked[udp + 7] = masked[udp + 12] = 0xFF
    return struct.pack('<I', zlib.crc32(bytes(masked), zlib.crc32(b'\xff' * 8)))


def packet(code, payload_bytes, headers, v6):
    cnp = code == 0x81
    pad = -payload_bytes % 4
    solicited, migration, becn, ack = (0, 0, 1, 0) if cnp else (1, 1, 0, 1)
    bth = struct.pack('>BBHII', code, solicited << 7 | migration << 6 | pad << 4, 0xFFFF,
                      becn << 30 | 0x123456, ack << 31 | (0 if cnp else 0xABCDEF))
    body = bth + b''.join(HEADERS[h] for h in headers) + bytes(range(1, payload_bytes + 1)) + bytes(pad)
    udp = struct.pack('>HHHH', 0xC132, 4791, 8 + len(body) + 4, 0)
    if v6:
        ip = struct.pack('>IHBB', 6 << 28 | 0x6A << 20, len(udp) + len(body) + 4, 17, 64)
        ip += bytes.fromhex('fd770000000000000000000000000002') + bytes.fromhex('fd77000000000000a1b2c3d4e5f60718')
    else:
        ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0x6A, 20 + len(udp) + len(body) + 4, 0xBEEF, 0x4000, 64, 17, 0,
                         bytes([10, 77, 0, 2]), bytes([192, 168, 200, 201]))
        ip = ip[:10] + struct.pack('>H', checksum(ip)) + ip[12:]
    whole = ip + udp + body
    return whole + icrc(whole, len(ip))


for row in ROWS.split('\n'):
    if row:
        code, name, payload_bytes, *headers = row.split()
        for v6 in False, True:
            print(name, 'IPv6' if v6 else 'IPv4', packet(int(code, 16), int(payload_bytes), headers, v6).hex())
