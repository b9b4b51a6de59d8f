# U-Boot's A/B script for RAUC's "uboot" backend, the same on every board. Names between two "@" are rendered from
# board/common/partitions.env and the board's board.env. No setexpr: not every build has it.
#
# BOOT_ORDER is a list of slots, BOOT_A_LEFT and BOOT_B_LEFT are the remaining attempts. The first slot in the order with
# attempts left is booted. One attempt is used up *before* the kernel starts; the running system restores the attempts
# ("rauc status mark-good").
#
# The environment has two copies, each consisting of crc32 (4 bytes), generation (1 byte) and data. The newer valid copy
# is read, the other one is written, so that a power cut during a write leaves a valid copy. "env import -c" only supports
# the format without generation, so the crc is moved up by one byte and overwrites the generation.

# From here on a hang ends in a reset.
@BOOT_WATCHDOG@

test -n "${devtype}" || setenv devtype @BOOT_DEVTYPE@
test -n "${devnum}" || setenv devnum @BOOT_DEVNUM@
setenv kernel_addr @KERNEL_ADDR@
setenv initrd_addr @INITRD_ADDR@
setenv scratch @ENV_SCRATCH@

# Find the valid copies. No copy has a variable called "none", so nothing is imported yet. A short file is invalid: data
# of an earlier boot in memory might complete it.
setenv valid_0
setenv valid_1
if load ${devtype} ${devnum}:@BOOT_PART@ @ENV_0@ @ENV_FILE_0@ @ENV_SIZE@ && itest 0x${filesize} == @ENV_SIZE@; then
  cp.b @ENV_0_GENERATION@ @GENERATION_0@ 1
  cp.b @ENV_0@ ${scratch} 4
  cp.b ${scratch} @ENV_0_PACKED@ 4
  if env import -c @ENV_0_PACKED@ @ENV_PACKED_SIZE@ none; then setenv valid_0 1; fi
fi
if load ${devtype} ${devnum}:@BOOT_PART@ @ENV_1@ @ENV_FILE_1@ @ENV_SIZE@ && itest 0x${filesize} == @ENV_SIZE@; then
  cp.b @ENV_1_GENERATION@ @GENERATION_1@ 1
  cp.b @ENV_1@ ${scratch} 4
  cp.b ${scratch} @ENV_1_PACKED@ 4
  if env import -c @ENV_1_PACKED@ @ENV_PACKED_SIZE@ none; then setenv valid_1 1; fi
fi

# Select the newer of two valid copies like libubootenv; the generation wraps from ff to 0.
setenv newest
if test -n "${valid_0}"; then setenv newest 0; fi
if test -n "${valid_1}"; then setenv newest 1; fi
if test -n "${valid_0}" && test -n "${valid_1}"; then
  setenv newest 0
  if itest.b *@GENERATION_1@ > *@GENERATION_0@; then setenv newest 1; fi
  if itest.b *@GENERATION_0@ == 0xff && itest.b *@GENERATION_1@ == 0; then setenv newest 1; fi
  if itest.b *@GENERATION_1@ == 0xff && itest.b *@GENERATION_0@ == 0; then setenv newest 0; fi
fi

setenv BOOT_ORDER "A B"
setenv BOOT_A_LEFT @BOOT_ATTEMPTS@
setenv BOOT_B_LEFT @BOOT_ATTEMPTS@
if test "${newest}" = "0"; then
  env import -c @ENV_0_PACKED@ @ENV_PACKED_SIZE@ BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
  cp.b @GENERATION_0@ ${scratch} 1
elif test "${newest}" = "1"; then
  env import -c @ENV_1_PACKED@ @ENV_PACKED_SIZE@ BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
  cp.b @GENERATION_1@ ${scratch} 1
else
  echo "vitrine: no valid environment, starting with the defaults"
  mw.b ${scratch} 0 1
fi
# As in RAUC's own script, missing variables get their defaults.
test -n "${BOOT_ORDER}" || setenv BOOT_ORDER "A B"
test -n "${BOOT_A_LEFT}" || setenv BOOT_A_LEFT @BOOT_ATTEMPTS@
test -n "${BOOT_B_LEFT}" || setenv BOOT_B_LEFT @BOOT_ATTEMPTS@

# Select the first slot in the order with attempts left. If there is none, all slots get new attempts and a second round
# follows, so that the device can always be booted.
setenv slot
for round in 1 2; do
  for candidate in ${BOOT_ORDER}; do
    if test -n "${slot}"; then
      true
    elif test "${candidate}" = "A"; then
      if test "${BOOT_A_LEFT}" -ge 3; then setenv BOOT_A_LEFT 2; setenv slot A
      elif test "${BOOT_A_LEFT}" = "2"; then setenv BOOT_A_LEFT 1; setenv slot A
      elif test "${BOOT_A_LEFT}" = "1"; then setenv BOOT_A_LEFT 0; setenv slot A
      fi
    elif test "${candidate}" = "B"; then
      if test "${BOOT_B_LEFT}" -ge 3; then setenv BOOT_B_LEFT 2; setenv slot B
      elif test "${BOOT_B_LEFT}" = "2"; then setenv BOOT_B_LEFT 1; setenv slot B
      elif test "${BOOT_B_LEFT}" = "1"; then setenv BOOT_B_LEFT 0; setenv slot B
      fi
    fi
  done
  if test -z "${slot}"; then
    echo "vitrine: no attempt left in \"${BOOT_ORDER}\", all are given new ones"
    setenv BOOT_A_LEFT @BOOT_ATTEMPTS@
    setenv BOOT_B_LEFT @BOOT_ATTEMPTS@
    if test "${round}" = "2"; then setenv BOOT_ORDER "A B"; setenv BOOT_A_LEFT 2; setenv slot A; fi
  fi
done

# Compute the next generation without arithmetic: try all bytes until the previous one equals the current generation.
setenv previous ff
setenv next
for high in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
  for low in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
    if test -z "${next}"; then
      if itest.b *${scratch} == 0x${previous}; then setenv next ${high}${low}; fi
      setenv previous ${high}${low}
    fi
  done
done

if test "${newest}" = "0"; then
  env export -c -s @ENV_PACKED_SIZE@ @ENV_1_PACKED@ BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
  cp.b @ENV_1_PACKED@ ${scratch} 4
  cp.b ${scratch} @ENV_1@ 4
  mw.b @ENV_1_GENERATION@ 0x${next} 1
  fatwrite ${devtype} ${devnum}:@BOOT_PART@ @ENV_1@ @ENV_FILE_1@ @ENV_SIZE@
else
  env export -c -s @ENV_PACKED_SIZE@ @ENV_0_PACKED@ BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
  cp.b @ENV_0_PACKED@ ${scratch} 4
  cp.b ${scratch} @ENV_0@ 4
  mw.b @ENV_0_GENERATION@ 0x${next} 1
  fatwrite ${devtype} ${devnum}:@BOOT_PART@ @ENV_0@ @ENV_FILE_0@ @ENV_SIZE@
fi

echo "vitrine: slot ${slot} of \"${BOOT_ORDER}\", left A ${BOOT_A_LEFT} B ${BOOT_B_LEFT}, generation ${next}"
if test "${slot}" = "A"; then
  setenv part @ROOTFS_A_PART@
  setenv label @ROOTFS_A_LABEL@
else
  setenv part @ROOTFS_B_PART@
  setenv label @ROOTFS_B_LABEL@
fi

setenv bootargs "root=PARTLABEL=${label} ro rauc.slot=${slot} panic=5 @KERNEL_ARGS_QUOTED@"
if load ${devtype} ${devnum}:${part} ${kernel_addr} @KERNEL_FILE@; then
  setenv ksize ${filesize}
  if load ${devtype} ${devnum}:${part} ${initrd_addr} @INITRD_FILE@; then
    setenv isize ${filesize}
    @BOOT_COMMAND@
  fi
fi
echo "vitrine: slot ${slot} does not start"
sleep 1
reset
