#!/bin/bash
# pid 1 of a test host. Gives it a private /etc, /tmp, /run, /home and /dev/shm, starts its ssh server, says "ready", then reaps
# orphans until its standard input ends: when the test process is gone, however it went, the host goes with it.
# HOST_NAME, HOST_DIR (what host-files.ts prepared), HOST_USER, HOST_UID and HOST_SSHD come from host.ts.
set -eu
mount --make-rprivate /
hostname "$HOST_NAME"
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /home
mkdir /run/etc /run/etc-work
mount -t overlay -o "lowerdir=/etc,upperdir=/run/etc,workdir=/run/etc-work" overlay /etc
cp -rT "$HOST_DIR/etc" /etc
cp -rT "$HOST_DIR/home" "/home/$HOST_USER"
mkdir -p /run/sshd "/run/user/$HOST_UID" /run/root
chown -R "$HOST_UID:$HOST_UID" "/home/$HOST_USER" "/run/user/$HOST_UID"
chmod 700 "/run/user/$HOST_UID" "/home/$HOST_USER/.ssh"
ip link set lo up
[ -z "$HOST_SSHD" ] || "$HOST_SSHD" -f /etc/ccm-sshd_config
echo ready
# The shell reaps whatever is handed to it while it waits in this read.
while read -r _; do :; done
