// CRC32C (Castagnoli, RFC 3720 appendix B.4) by the processor's own instruction, or by a table where it has none.
//
// The instruction has a latency of three cycles and can begin anew in each, so longer runs are summed as three interleaved
// streams of 1 KiB each, which are joined by a table: a piece of 64 KiB takes about three microseconds. Shorter runs are one
// stream of eight bytes at a time. The register is carried along between calls; callers invert it at both ends. The
// instruction is named in assembly, since a function that is compiled for other instructions than its caller is not inlined.
#ifndef LARDER_CRC32C_H
#define LARDER_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

// Whether the processor has the instruction: SSE4.2 on x86-64 (CPUID leaf 1, ECX bit 20), the CRC32 extension on arm64
// (HWCAP_CRC32).
static inline int larder_crc32c_has_instruction(void) {
#if defined(__x86_64__)
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 20)) != 0;
#elif defined(__aarch64__)
    return (getauxval(AT_HWCAP) & (1ul << 7)) != 0;
#else
    return 0;
#endif
}

// Words at any address, of bytes of any type.
typedef uint64_t __attribute__((aligned(1), may_alias)) larder_crc32c_unaligned;

#if defined(__x86_64__)
// The instruction clears the upper half of its register, and reads memory by itself.
static inline uint64_t larder_crc32c_load(uint64_t state, const larder_crc32c_unaligned *word) {
    __asm__("crc32q %1, %0" : "+r"(state) : "m"(*word));
    return state;
}
static inline uint32_t larder_crc32c_word(uint32_t state, uint64_t word) {
    uint64_t wide = state;
    __asm__("crc32q %1, %0" : "+r"(wide) : "r"(word));
    return (uint32_t)wide;
}
static inline uint32_t larder_crc32c_byte(uint32_t state, uint8_t byte) {
    __asm__("crc32b %1, %0" : "+r"(state) : "r"(byte));
    return state;
}
#elif defined(__aarch64__)
static inline uint32_t larder_crc32c_word(uint32_t state, uint64_t word) {
    __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(state) : "r"(word));
    return state;
}
static inline uint64_t larder_crc32c_load(uint64_t state, const larder_crc32c_unaligned *word) {
    return larder_crc32c_word((uint32_t)state, *word);
}
static inline uint32_t larder_crc32c_byte(uint32_t state, uint8_t byte) {
    __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(state) : "r"((uint32_t)byte));
    return state;
}
#else
static inline uint32_t larder_crc32c_word(uint32_t state, uint64_t word) { return state ^ (uint32_t)word; }
static inline uint64_t larder_crc32c_load(uint64_t state, const larder_crc32c_unaligned *word) {
    return state ^ *word;
}
static inline uint32_t larder_crc32c_byte(uint32_t state, uint8_t byte) { return state ^ byte; }
#endif

// What 1,024 zero bytes make of each digit of a register, lowest first. The sum is linear: the register of two runs is that of
// the first moved over the length of the second, XOR that of the second begun with zero.
static const uint32_t larder_crc32c_shift[128] = {
    0x00000000, 0xFE314258, 0xF98EF241, 0x07BFB019, 0xF6F19273, 0x08C0D02B, 0x0F7F6032, 0xF14E226A,
    0xE80F5217, 0x163E104F, 0x1181A056, 0xEFB0E20E, 0x1EFEC064, 0xE0CF823C, 0xE7703225, 0x1941707D,
    0x00000000, 0xD5F2D2DF, 0xAE09D34F, 0x7BFB0190, 0x59FFD06F, 0x8C0D02B0, 0xF7F60320, 0x2204D1FF,
    0xB3FFA0DE, 0x660D7201, 0x1DF67391, 0xC804A14E, 0xEA0070B1, 0x3FF2A26E, 0x4409A3FE, 0x91FB7121,
    0x00000000, 0x6213374D, 0xC4266E9A, 0xA63559D7, 0x8DA0ABC5, 0xEFB39C88, 0x4986C55F, 0x2B95F212,
    0x1EAD217B, 0x7CBE1636, 0xDA8B4FE1, 0xB89878AC, 0x930D8ABE, 0xF11EBDF3, 0x572BE424, 0x3538D369,
    0x00000000, 0x3D5A42F6, 0x7AB485EC, 0x47EEC71A, 0xF5690BD8, 0xC833492E, 0x8FDD8E34, 0xB287CCC2,
    0xEF3E6141, 0xD26423B7, 0x958AE4AD, 0xA8D0A65B, 0x1A576A99, 0x270D286F, 0x60E3EF75, 0x5DB9AD83,
    0x00000000, 0xDB90B473, 0xB2CD1E17, 0x695DAA64, 0x60764ADF, 0xBBE6FEAC, 0xD2BB54C8, 0x092BE0BB,
    0xC0EC95BE, 0x1B7C21CD, 0x72218BA9, 0xA9B13FDA, 0xA09ADF61, 0x7B0A6B12, 0x1257C176, 0xC9C77505,
    0x00000000, 0x84355D8D, 0x0D86CDEB, 0x89B39066, 0x1B0D9BD6, 0x9F38C65B, 0x168B563D, 0x92BE0BB0,
    0x361B37AC, 0xB22E6A21, 0x3B9DFA47, 0xBFA8A7CA, 0x2D16AC7A, 0xA923F1F7, 0x20906191, 0xA4A53C1C,
    0x00000000, 0x6C366F58, 0xD86CDEB0, 0xB45AB1E8, 0xB535CB91, 0xD903A4C9, 0x6D591521, 0x016F7A79,
    0x6F87E1D3, 0x03B18E8B, 0xB7EB3F63, 0xDBDD503B, 0xDAB22A42, 0xB684451A, 0x02DEF4F2, 0x6EE89BAA,
    0x00000000, 0xDF0FC3A6, 0xBBF3F1BD, 0x64FC321B, 0x720B958B, 0xAD04562D, 0xC9F86436, 0x16F7A790,
    0xE4172B16, 0x3B18E8B0, 0x5FE4DAAB, 0x80EB190D, 0x961CBE9D, 0x49137D3B, 0x2DEF4F20, 0xF2E08C86,
};

static inline uint32_t larder_crc32c_moved(uint32_t state) {
    uint32_t moved = 0;
    for (int digit = 0; digit < 8; digit++) moved ^= larder_crc32c_shift[digit * 16 + ((state >> (digit * 4)) & 15)];
    return moved;
}

// Sums whole blocks of three runs of 1 KiB, and moves `bytes` and `count` behind them.
static inline uint32_t larder_crc32c_blocks(uint32_t state, const void **bytes, size_t *count) {
    const larder_crc32c_unaligned *words = (const larder_crc32c_unaligned *)*bytes;
    for (; *count >= 3072; *count -= 3072, words += 384) {
        uint64_t first = state, second = 0, third = 0;
        for (const larder_crc32c_unaligned *word = words; word < words + 128; word += 2) {
            first = larder_crc32c_load(first, word);
            second = larder_crc32c_load(second, word + 128);
            third = larder_crc32c_load(third, word + 256);
            first = larder_crc32c_load(first, word + 1);
            second = larder_crc32c_load(second, word + 129);
            third = larder_crc32c_load(third, word + 257);
        }
        state = larder_crc32c_moved(larder_crc32c_moved((uint32_t)first) ^ (uint32_t)second) ^ (uint32_t)third;
    }
    *bytes = words;
    return state;
}

// Only where the processor has the instruction.
static inline uint32_t larder_crc32c_fast(uint32_t state, const void *bytes, size_t count) {
    state = larder_crc32c_blocks(state, &bytes, &count);
    const unsigned char *next = (const unsigned char *)bytes;
    const larder_crc32c_unaligned *words = (const larder_crc32c_unaligned *)bytes;
    const larder_crc32c_unaligned *end = words + count / 64 * 8;
    uint64_t wide = state;
    for (; words < end; words += 8) {
        wide = larder_crc32c_load(wide, words);
        wide = larder_crc32c_load(wide, words + 1);
        wide = larder_crc32c_load(wide, words + 2);
        wide = larder_crc32c_load(wide, words + 3);
        wide = larder_crc32c_load(wide, words + 4);
        wide = larder_crc32c_load(wide, words + 5);
        wide = larder_crc32c_load(wide, words + 6);
        wide = larder_crc32c_load(wide, words + 7);
    }
    for (end = (const larder_crc32c_unaligned *)bytes + count / 8; words < end; words++)
        wide = larder_crc32c_load(wide, words);
    state = (uint32_t)wide;
    for (next += count / 8 * 8, count %= 8; count > 0; count--, next++) state = larder_crc32c_byte(state, *next);
    return state;
}

static const uint32_t larder_crc32c_table[256] = {
    0x00000000, 0xF26B8303, 0xE13B70F7, 0x1350F3F4, 0xC79A971F, 0x35F1141C, 0x26A1E7E8, 0xD4CA64EB,
    0x8AD958CF, 0x78B2DBCC, 0x6BE22838, 0x9989AB3B, 0x4D43CFD0, 0xBF284CD3, 0xAC78BF27, 0x5E133C24,
    0x105EC76F, 0xE235446C, 0xF165B798, 0x030E349B, 0xD7C45070, 0x25AFD373, 0x36FF2087, 0xC494A384,
    0x9A879FA0, 0x68EC1CA3, 0x7BBCEF57, 0x89D76C54, 0x5D1D08BF, 0xAF768BBC, 0xBC267848, 0x4E4DFB4B,
    0x20BD8EDE, 0xD2D60DDD, 0xC186FE29, 0x33ED7D2A, 0xE72719C1, 0x154C9AC2, 0x061C6936, 0xF477EA35,
    0xAA64D611, 0x580F5512, 0x4B5FA6E6, 0xB93425E5, 0x6DFE410E, 0x9F95C20D, 0x8CC531F9, 0x7EAEB2FA,
    0x30E349B1, 0xC288CAB2, 0xD1D83946, 0x23B3BA45, 0xF779DEAE, 0x05125DAD, 0x1642AE59, 0xE4292D5A,
    0xBA3A117E, 0x4851927D, 0x5B016189, 0xA96AE28A, 0x7DA08661, 0x8FCB0562, 0x9C9BF696, 0x6EF07595,
    0x417B1DBC, 0xB3109EBF, 0xA0406D4B, 0x522BEE48, 0x86E18AA3, 0x748A09A0, 0x67DAFA54, 0x95B17957,
    0xCBA24573, 0x39C9C670, 0x2A993584, 0xD8F2B687, 0x0C38D26C, 0xFE53516F, 0xED03A29B, 0x1F682198,
    0x5125DAD3, 0xA34E59D0, 0xB01EAA24, 0x42752927, 0x96BF4DCC, 0x64D4CECF, 0x77843D3B, 0x85EFBE38,
    0xDBFC821C, 0x2997011F, 0x3AC7F2EB, 0xC8AC71E8, 0x1C661503, 0xEE0D9600, 0xFD5D65F4, 0x0F36E6F7,
    0x61C69362, 0x93AD1061, 0x80FDE395, 0x72966096, 0xA65C047D, 0x5437877E, 0x4767748A, 0xB50CF789,
    0xEB1FCBAD, 0x197448AE, 0x0A24BB5A, 0xF84F3859, 0x2C855CB2, 0xDEEEDFB1, 0xCDBE2C45, 0x3FD5AF46,
    0x7198540D, 0x83F3D70E, 0x90A324FA, 0x62C8A7F9, 0xB602C312, 0x44694011, 0x5739B3E5, 0xA55230E6,
    0xFB410CC2, 0x092A8FC1, 0x1A7A7C35, 0xE811FF36, 0x3CDB9BDD, 0xCEB018DE, 0xDDE0EB2A, 0x2F8B6829,
    0x82F63B78, 0x709DB87B, 0x63CD4B8F, 0x91A6C88C, 0x456CAC67, 0xB7072F64, 0xA457DC90, 0x563C5F93,
    0x082F63B7, 0xFA44E0B4, 0xE9141340, 0x1B7F9043, 0xCFB5F4A8, 0x3DDE77AB, 0x2E8E845F, 0xDCE5075C,
    0x92A8FC17, 0x60C37F14, 0x73938CE0, 0x81F80FE3, 0x55326B08, 0xA759E80B, 0xB4091BFF, 0x466298FC,
    0x1871A4D8, 0xEA1A27DB, 0xF94AD42F, 0x0B21572C, 0xDFEB33C7, 0x2D80B0C4, 0x3ED04330, 0xCCBBC033,
    0xA24BB5A6, 0x502036A5, 0x4370C551, 0xB11B4652, 0x65D122B9, 0x97BAA1BA, 0x84EA524E, 0x7681D14D,
    0x2892ED69, 0xDAF96E6A, 0xC9A99D9E, 0x3BC21E9D, 0xEF087A76, 0x1D63F975, 0x0E330A81, 0xFC588982,
    0xB21572C9, 0x407EF1CA, 0x532E023E, 0xA145813D, 0x758FE5D6, 0x87E466D5, 0x94B49521, 0x66DF1622,
    0x38CC2A06, 0xCAA7A905, 0xD9F75AF1, 0x2B9CD9F2, 0xFF56BD19, 0x0D3D3E1A, 0x1E6DCDEE, 0xEC064EED,
    0xC38D26C4, 0x31E6A5C7, 0x22B65633, 0xD0DDD530, 0x0417B1DB, 0xF67C32D8, 0xE52CC12C, 0x1747422F,
    0x49547E0B, 0xBB3FFD08, 0xA86F0EFC, 0x5A048DFF, 0x8ECEE914, 0x7CA56A17, 0x6FF599E3, 0x9D9E1AE0,
    0xD3D3E1AB, 0x21B862A8, 0x32E8915C, 0xC083125F, 0x144976B4, 0xE622F5B7, 0xF5720643, 0x07198540,
    0x590AB964, 0xAB613A67, 0xB831C993, 0x4A5A4A90, 0x9E902E7B, 0x6CFBAD78, 0x7FAB5E8C, 0x8DC0DD8F,
    0xE330A81A, 0x115B2B19, 0x020BD8ED, 0xF0605BEE, 0x24AA3F05, 0xD6C1BC06, 0xC5914FF2, 0x37FACCF1,
    0x69E9F0D5, 0x9B8273D6, 0x88D28022, 0x7AB90321, 0xAE7367CA, 0x5C18E4C9, 0x4F48173D, 0xBD23943E,
    0xF36E6F75, 0x0105EC76, 0x12551F82, 0xE03E9C81, 0x34F4F86A, 0xC69F7B69, 0xD5CF889D, 0x27A40B9E,
    0x79B737BA, 0x8BDCB4B9, 0x988C474D, 0x6AE7C44E, 0xBE2DA0A5, 0x4C4623A6, 0x5F16D052, 0xAD7D5351,
};

static inline uint32_t larder_crc32c_slow(uint32_t state, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    for (; count > 0; count--, next++) state = larder_crc32c_table[(state ^ *next) & 0xFF] ^ (state >> 8);
    return state;
}

#endif
